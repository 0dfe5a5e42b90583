import { afterAll, beforeAll, expect, test } from 'vitest'
import { MemberRole } from '../../gen/lrs/v1/members_pb.js'
import type { CoreClient } from '../support/core-client.ts'
import { addStudio } from '../support/studios.ts'
import { password, senderIp, startMailed, type Mailed } from '../support/mailed.ts'

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

test('mails that a stranger causes keep no new password from the owner of an address', async () => {
  const email = 'cleo@example.org'
  await signedIn(email)
  for (let n = 0; n < 6; n++) await guest.accounts.signUp({ email, password, studioName: 'Owl', senderIp })
  await guest.links.sendReset({ email, senderIp })
  await mailServer.next(email, /^Set a new password$/)
})

test('one address gets five invitations an hour, whichever studios invite', async () => {
  const email = 'dora@example.org'
  const owners = [await addStudio(system, 'Fox'), await addStudio(system, 'Owl')]
  const sent: boolean[] = []
  for (let n = 0; n < 6; n++)
    sent.push((await owners[n % 2]!.on().members.inviteMember({ role: MemberRole.ANALYST, email })).mailed)
  expect(sent).toEqual([true, true, true, true, true, false])
})
