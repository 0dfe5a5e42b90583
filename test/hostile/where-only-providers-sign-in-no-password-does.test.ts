import { afterAll, beforeAll, expect, test } from 'vitest'
import { reasonOf } from '../support/failures.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { tokens } from '../support/system.ts'
import type { Studio } from '../support/studios.ts'
import { bearer } from '../support/xapi.ts'

let system: PortalSystem
let fox: Studio
const password = 'correct horse battery'
beforeAll(async () => {
  system = await startPortalSystem({ signIn: 'provider' })
  fox = await system.studio('Blue Fox')
  await system.database.sql('update account set password_hash = $2 where id = $1', [
    fox.account,
    await system.cores[0]!.passwords.hash(password, 'test'),
  ])
})
afterAll(() => system.close())

test('no call signs in or sets a password, for any caller', async () => {
  const guest = system.connections[0]!.as(bearer(tokens.portal))
  const [email, senderIp] = [fox.email, '192.0.2.1']
  const calls = {
    signIn: guest.accounts.signIn({ email, password, senderIp }),
    signUp: guest.accounts.signUp({ email: 'new@example.org', password, studioName: 'New', senderIp }),
    signInWithPasskey: guest.signIn.signInWithPasskey({ passkey: '{}', binding: 'x', senderIp }),
    sendReset: guest.links.sendReset({ email, senderIp }),
    confirmSignUp: guest.links.confirmSignUp({ code: 'x', password, senderIp }),
    usePasswordLink: guest.links.usePasswordLink({ code: 'x', password }),
    changePassword: fox.on().accounts.changePassword({ currentPassword: password, password: 'another password' }),
    resetPassword: system.admin.accounts.resetPassword({ email }),
  }
  for (const [name, call] of Object.entries(calls)) expect(await reasonOf(call), name).toBe('FORBIDDEN')
})

test('what asks for the password takes a sign-in of the last minutes, and no password', async () => {
  const { signIn, links } = fox.on()
  const prove = (minutes: number) =>
    system.database.sql('update studio_session set proved = now() - make_interval(mins => $1)', [minutes])
  await prove(16)
  expect(await reasonOf(signIn.confirm({ password }))).toBe('FORBIDDEN')
  expect(await reasonOf(links.sendNewAddress({ email: 'x@example.org', currentPassword: password }))).not.toBe('ok')
  await prove(1)
  expect(await reasonOf(signIn.confirm({ password: 'any other' }))).toBe('ok')
  expect((await signIn.getSignInSettings({})).hasPassword).toBe(false)
})

test('pages offer providers only', async () => {
  const { providers } = system.admin
  const page = async (path: string) => (await (await fetch(system.url + path)).text()).replaceAll(/\s+/g, ' ')
  expect(await page('/sign-in')).toContain('The operator of this service has to add a sign-in provider first')
  await providers.addProvider({
    name: 'school',
    issuer: 'https://login.example',
    settings: { label: 'School', clientId: 'lrs' },
  })
  await expect.poll(() => page('/sign-in')).toContain('Continue with School')
  for (const path of ['/sign-in', '/sign-up', '/reset']) {
    expect(await page(path), path).not.toMatch(/type="password"|\/reset|passkey/)
  }
})
