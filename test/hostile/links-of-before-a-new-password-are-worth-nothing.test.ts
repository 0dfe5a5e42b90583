import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CoreClient } from '../support/core-client.ts'
import { reasonOf } from '../support/failures.ts'
import { codeOf, password, senderIp, startMailed, type Mailed } from '../support/mailed.ts'

let mailed: Mailed
let mailServer: Mailed['mailServer']
let system: Mailed['system']
let guest: CoreClient
beforeAll(async () => {
  mailed = await startMailed()
  ;({ mailServer, system, guest } = mailed)
})
afterAll(() => mailed.close())

const signedIn = async (email: string): Promise<CoreClient> => mailed.as((await mailed.member(email)).session)

test.each([
  [
    'its owner changes it',
    'ann@example.org',
    (me: CoreClient) => me.accounts.changePassword({ currentPassword: password, password: 'a new long password' }),
  ],
  ['an admin resets it', 'bea@example.org', () => system.admin.accounts.resetPassword({ email: 'bea@example.org' })],
])('a person who knew the password cannot take the account by a link after %s', async (_, email, renew) => {
  const me = await signedIn(email)
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
