import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bestOfThree } from '../support/cost.ts'
import { startLaunches, type Launches } from '../support/launches.ts'
import { statement } from '../support/statements.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'

/** Whoever has the secret of a session may ask for its result as often as it likes. */
let { system, xapi, play } = {} as Launches
beforeAll(async () => {
  ;({ system, xapi, play } = await startLaunches())
})
afterAll(() => system.close())

/** About 2 MB: keys with escapes take the longest to read. */
const slow = `{"https://g.example/e":[${Array(160_000)
  .fill(String.raw`{"\u0061":1}`)
  .join()}]}`

test.each([
  ['the brief one', true],
  ['the whole one', false],
])('%s of a learner who sent what is slow to read', bestOfThree, async (_, brief) => {
  const { launch } = await play({ learnerName: 'Mallory' })
  const { sessionSecret, activityId, registration } = launch!
  const body = JSON.stringify(
    statement({
      verb: { id: 'http://adlnet.gov/expapi/verbs/completed' },
      object: { id: activityId },
      context: { registration },
      result: { score: { raw: 3 }, extensions: 0 },
    }),
  ).replace('"extensions":0', `"extensions":${slow}`)
  expect((await xapi(launch!).post(body)).status).toBe(200)
  const { launches } = system.connections[0]!.as(bearer(tokens.portal))
  await launches.getResult({ sessionSecret: launch!.sessionSecret, brief })
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const result = await launches.getResult({ sessionSecret, brief })
  delay.disable()
  expect(result).toMatchObject({ statements: 1, ended: 'completed', score: { raw: 3 } })
  expect(delay.max / 1e6).toBeLessThan(100)
})
