import { afterAll, beforeAll, expect, test } from 'vitest'
import { Code } from '@connectrpc/connect'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusal } from '../support/failures.ts'
import { startAccounts, type Accounts } from './accounts.ts'

let { system, portal, from, as, account } = {} as Accounts
beforeAll(async () => {
  ;({ system, portal, from, as, account } = await startAccounts())
})
afterAll(() => system.close())

test('admins: reviewers, passwords, the list; studios may none of that', async () => {
  const { email, session } = await account('Zebra')
  await system.admin.accounts.setReviewer({ email, reviewer: true })
  expect(await as(session).accounts.getAccount({})).toMatchObject({ reviewer: true })
  const { password: fresh } = await system.admin.accounts.resetPassword({ email })
  expect(await refusal(as(session).accounts.getAccount({}))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
  await portal.accounts.signIn({ email, password: fresh, senderIp: from() })
  const { studios } = await system.admin.accounts.listStudios({})
  expect(studios.find((one) => one.email === email)).toMatchObject({
    reviewer: true,
    games: 0,
    studio: { name: 'Zebra' },
  })
  await expect(portal.accounts.listStudios({})).rejects.toMatchObject({ code: Code.PermissionDenied })
  await expect(portal.accounts.resetPassword({ email })).rejects.toMatchObject({ code: Code.PermissionDenied })
  expect(
    await refusal(system.admin.accounts.setReviewer({ email: 'nobody@example.org', reviewer: true })),
  ).toMatchObject({ reason: Reason.NOT_FOUND })
})
