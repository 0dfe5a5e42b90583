import { afterAll, beforeAll, expect, test } from 'vitest'
import { MemberRole } from '../../gen/lrs/v1/members_pb.js'
import type { CoreClient } from '../support/core-client.ts'
import { addStudio } from '../support/studios.ts'
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

test('mails that a stranger causes keep no new password from the owner of an address', async () => {
  const email = 'cleo@example.org'
  await member(email)
  for (let n = 0; n < 6; n++) await guest.accounts.signUp({ email, password, studioName: 'Owl', senderIp })
  await guest.links.sendReset({ email, senderIp })
  await mailServer.next(email, /^Set a new password$/)
})

test('one address gets five invitations an hour, whichever studios invite', async () => {
  const email = 'dora@example.org'
  const owners = [await addStudio(system, 'Fox'), await addStudio(system, 'Owl')]
  const mailed: boolean[] = []
  for (let n = 0; n < 6; n++)
    mailed.push((await owners[n % 2]!.on().members.inviteMember({ role: MemberRole.ANALYST, email })).mailed)
  expect(mailed).toEqual([true, true, true, true, true, false])
})
