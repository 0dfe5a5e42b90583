import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CoreClient } from '../support/core-client.ts'
import { reasonOf } from '../support/failures.ts'
import { startMailServer, type MailServer, type ReceivedMail } from '../support/mail-server.ts'
import { startSystem, tokens, type System } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'

let mailServer: MailServer
let system: System
let guest: CoreClient
beforeAll(async () => {
  mailServer = await startMailServer()
  system = await startSystem({ gateways: 0, mail: mailServer.config('https://portal.example') })
  guest = system.connections[0]!.as(bearer(tokens.portal))
})
afterAll(async () => {
  await system.close()
  await mailServer.close()
})

const senderIp = '192.0.2.7'
const password = 'correct horse battery'
const as = (session: string) => system.connections[0]!.as(bearer(tokens.portal), { 'x-lrs-session': session })
const codeOf = (mail: ReceivedMail) => new URL(mail.links[0]!).searchParams.get('code')!

async function member(email: string): Promise<CoreClient> {
  await guest.accounts.signUp({ email, password, studioName: 'Blue Fox', senderIp })
  const code = codeOf(await mailServer.next(email, /Confirm/))
  return as((await guest.links.confirmSignUp({ code, password, senderIp })).session)
}

test.each([
  [
    'its owner changes it',
    'ann@example.org',
    (me: CoreClient) => me.accounts.changePassword({ currentPassword: password, password: 'a new long password' }),
  ],
  ['an admin resets it', 'bea@example.org', () => system.admin.accounts.resetPassword({ email: 'bea@example.org' })],
])('whoever knew the password cannot take the account by a link after %s', async (_, email, renew) => {
  const me = await member(email)
  const thief = `thief-${email}`
  await me.links.sendNewAddress({ email: thief, currentPassword: password })
  const taking = codeOf(await mailServer.next(thief, /^Confirm your new/))
  await guest.links.sendReset({ email, senderIp })
  const reset = codeOf(await mailServer.next(email, /^Set a new password$/))
  await renew(me)
  expect(await reasonOf(guest.links.useAddressLink({ code: taking }))).toBe('NOT_FOUND')
  expect(await reasonOf(guest.links.usePasswordLink({ code: reset, password: 'one more long password' }))).toBe(
    'NOT_FOUND',
  )
})
