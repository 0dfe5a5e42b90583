import { afterAll, beforeAll, expect, test } from 'vitest'
import { besides, expectBearable } from '../support/crowd.ts'
import { startProcesses, type Processes } from '../support/processes.ts'
import { statement } from '../support/statements.ts'
import { bestOfThree } from '../support/cost.ts'

let processes: Processes
beforeAll(async () => {
  processes = await startProcesses()
})
afterAll(() => processes.close())

// that the worker reads such a body, and not the thread that answers, is shown by large-texts-are-read-by-the-worker
const whole = { ...bestOfThree, tags: 'long' }
test('10 senders of 1.5 MB in 100,000 values: another game is answered beside them', whole, async () => {
  const [hostile, victim] = [await processes.game(), await processes.game()]
  await victim.xapi().post(statement())
  const values = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`key ${n}`, n]))
  // the error is in the last statement, so nothing is ever stored
  const body = Buffer.from(JSON.stringify([statement({ result: { extensions: { 'x:y': values } } }), {}]))
  const headers = {
    authorization: hostile.authorization,
    'x-experience-api-version': '1.0.3',
    'content-type': 'application/json',
  }
  const request = { url: `${processes.urls[0]}/xapi/statements`, method: 'POST', headers, body }
  const told = await besides(10, request, () => victim.xapi().get({ limit: 1 }))
  expectBearable(told)
  expect(told.statuses).toContain(400)
})
