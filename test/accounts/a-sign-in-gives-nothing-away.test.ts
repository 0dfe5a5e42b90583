import { afterAll, beforeAll, expect, test } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { bestOfThree } from '../support/cost.ts'
import { refusal } from '../support/failures.ts'
import { password, startAccounts, type Accounts } from './accounts.ts'

let { system, portal, from, account } = {} as Accounts
beforeAll(async () => {
  ;({ system, portal, from, account } = await startAccounts())
})
afterAll(() => system.close())

test('unknown address and wrong password: the same words, about the same time', bestOfThree, async () => {
  const { email } = await account()
  const time = async (email: string) => {
    const began = performance.now()
    expect(
      await refusal(portal.accounts.signIn({ email, password: 'wrong password', senderIp: from() })),
    ).toMatchObject({ reason: Reason.UNAUTHENTICATED, message: 'The e-mail address or the password is wrong.' })
    return performance.now() - began
  }
  // in turn, and the fastest of each: a busy machine slows some down, not all
  let [known, unknown] = [Infinity, Infinity]
  const isNear = () => unknown / known > 0.5 && unknown / known < 2
  for (let i = 0; i < 7 || (i < 40 && !isNear()); i++) {
    known = Math.min(known, await time(email))
    unknown = Math.min(unknown, await time('nobody@example.org'))
  }
  expect([unknown / known, isNear()]).toEqual([expect.any(Number), true])
})

test('nothing that signs in is in the database in plain', async () => {
  const { session } = await account()
  for (const table of ['studio', 'studio_session', 'portal_window', 'used_solution']) {
    const text = JSON.stringify(await system.database.sql(`select * from ${table}`))
    expect(text, table).not.toContain(session)
    expect(text, table).not.toContain(password)
    expect(text, table).not.toMatch(/192\.0\.2\./)
  }
})
