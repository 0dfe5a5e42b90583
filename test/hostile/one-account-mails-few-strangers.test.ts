import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MemberRole } from '../../gen/lrs/v1/members_pb.js'
import { furtherLimits } from '../../shared/limits.ts'
import { password, startMailed, type Mailed } from '../support/mailed.ts'

let mailed: Mailed
beforeAll(async () => {
  mailed = await startMailed()
})
afterAll(() => mailed.close())

const isTaken = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    (error: unknown) => {
      expect(ConnectError.from(error).code).toBe(Code.ResourceExhausted)
      return false
    },
  )
const mailsTo = async (like: string): Promise<number> => {
  const [row] = await mailed.system.database.sql<{ count: number }>(
    'select count(*)::int from mail where recipient like $1',
    [like],
  )
  return row!.count
}

test('one account mails 30 strangers an hour, by invitations and changes of its address together', async () => {
  const { limit } = furtherLimits['mail-by']
  const { links, members } = mailed.as((await mailed.member('mallory@example.org')).session)
  let taken = 0
  for (let n = 0; n < 20; n++) {
    const ask = { email: `stranger-${n}@changed.example`, currentPassword: password, senderIp: `192.0.2.${n}` }
    if (await isTaken(links.sendNewAddress(ask))) taken++
  }
  for (let n = 0; n < 20; n++) {
    const ask = { email: `stranger-${n}@invited.example`, role: MemberRole.ANALYST, senderIp: `192.0.2.${n}` }
    if (await isTaken(members.inviteMember(ask))) taken++
  }
  expect(taken).toBe(limit)
  expect(await mailsTo('%@invited.example')).toBe(limit - 20)
  // without a mail an invitation is still possible
  await members.inviteMember({ role: MemberRole.ANALYST })
})

test('one sender mails 30 strangers in 15 minutes, whatever for', async () => {
  const { limit } = furtherLimits['mail-from']
  const senderIp = '198.51.100.7'
  let taken = 0
  for (let n = 0; n < 20; n++)
    if (await isTaken(mailed.guest.links.sendReset({ email: `x${n}@example.org`, senderIp }))) taken++
  const { links } = mailed.as((await mailed.member('oscar@example.org')).session)
  for (let n = 0; n < 20; n++) {
    const ask = { email: `stranger-${n}@sender.example`, currentPassword: password, senderIp }
    if (await isTaken(links.sendNewAddress(ask))) taken++
  }
  expect(taken).toBe(limit)
})

test('addresses that differ after a + are one mailbox, which gets five', async () => {
  const { links } = mailed.as((await mailed.member('trudy@example.org')).session)
  let taken = 0
  for (let n = 0; n < 12; n++)
    if (await isTaken(links.sendNewAddress({ email: `victim+${n}@plus.example`, currentPassword: password }))) taken++
  expect(taken).toBe(furtherLimits['mail-to'].limit)
})
