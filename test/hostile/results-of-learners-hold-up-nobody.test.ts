import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampled } from '../support/sampled.ts'
import type { Launch } from '../../gen/lrs/v1/launches_pb.js'
import type { CoreClient } from '../support/core-client.ts'
import { bestOfThree, processorTime } from '../support/cost.ts'
import { startLaunches, type Launches } from '../support/launches.ts'
import { statement } from '../support/statements.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'

/** A caller with the secret of a session may ask for its result without a rate limit. */
let { system, game, xapi, play } = {} as Launches
beforeAll(async () => {
  ;({ system, game, xapi, play } = await startLaunches())
})
afterAll(() => system.close())

/** About 2 MB: keys with escapes take the longest to read. */
const slow = `{"https://g.example/e":[${Array(160_000)
  .fill(String.raw`{"\u0061":1}`)
  .join()}]}`

type Ask = (core: CoreClient, launch: Launch) => Promise<object>
const asks: readonly (readonly [string, Ask, object])[] = [
  [
    'the brief result',
    ({ launches }, { sessionSecret }) => launches.getResult({ sessionSecret, brief: true }),
    { statements: 1, ended: 'completed', score: { raw: 3 } },
  ],
  [
    'the whole result',
    ({ launches }, { sessionSecret }) => launches.getResult({ sessionSecret }),
    { statements: 2, ended: 'completed', score: { raw: 3 } },
  ],
  [
    'the own data',
    ({ ownData }, { sessionSecret }) =>
      ownData.getOwnData({ proof: { slug: game.slug, sessionSecret, senderIp: '10.9.9.9' } }),
    { known: { levels: [{ completed: 1 }] } },
  ],
]

for (const { cases, tags } of sampled(asks, 1))
  test.each(cases)(
    '%s of a learner who sent what is slow to read',
    { ...bestOfThree, tags },
    async (_, ask, expected) => {
      const { launch } = await play({ learnerName: 'Mallory' })
      const { activityId, registration } = launch!
      const completed = (id: string) =>
        statement({
          verb: { id: 'http://adlnet.gov/expapi/verbs/completed' },
          object: { id },
          context: { registration },
          result: { score: { raw: 3 }, extensions: 0 },
        })
      expect((await xapi(launch!).post({ ...completed(`${activityId}/1`), result: {} })).status).toBe(200)
      const body = JSON.stringify(completed(activityId)).replace('"extensions":0', `"extensions":${slow}`)
      expect((await xapi(launch!).post(body)).status).toBe(200)
      const core = system.connections[0]!.as(bearer(tokens.portal))
      await ask(core, launch!)
      const [own, all] = [processorTime(), process.cpuUsage()]
      expect(await ask(core, launch!)).toMatchObject(expected)
      const { user, system: kernel } = process.cpuUsage(all)
      // it is read in the worker thread: core's own, which all others wait for, has the smaller part of the work
      expect(processorTime() - own).toBeLessThan((user + kernel) / 1000 / 2)
    },
  )
