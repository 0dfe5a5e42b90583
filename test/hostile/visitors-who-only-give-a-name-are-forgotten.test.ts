import { afterAll, beforeAll, expect, test } from 'vitest'
import { learnerKeys } from '../../core/records/access/learner.ts'
import { startLaunches, type Launches } from '../support/launches.ts'
import { statement } from '../support/statements.ts'

let launches: Launches
beforeAll(async () => {
  launches = await startLaunches()
})
afterAll(() => launches.system.close())

test('after 30 days a learner without statements, documents, sessions and invitation is gone, and nobody else', async () => {
  const { system, fox, game, play, xapi } = launches
  const { sql } = system.database
  const { store, config } = system.cores[0]!
  const sweep = () => store.learners.sweep(10, (id) => learnerKeys(id, config))
  const names = async () =>
    (await sql<{ name: string }>('select name from learner order by name')).map(({ name }) => name)

  const starts = []
  for (const learnerName of ['Speaks', 'Saves', 'Plays', 'Silent']) starts.push(await play({ learnerName }))
  const [speaks, saves, , silent] = starts
  expect((await xapi(speaks!.launch!).post(statement({ actor: JSON.parse(speaks!.launch!.actor) }))).status).toBe(200)
  const query = { activityId: saves!.launch!.activityId, agent: saves!.launch!.actor, stateId: 'save' }
  expect((await xapi(saves!.launch!).request('PUT', 'activities/state', { query, body: { level: 2 } })).status).toBe(
    204,
  )
  await fox.on().launches.createInvitation({ gameId: game.id, learnerName: 'Invited' })

  await sql(`delete from launch where learner <> (select uuid from learner where name = 'Plays')`)
  expect(await sweep()).toBe(0)
  await sql(`update learner set look_after = now() - interval '1 second'`)
  expect(await sweep()).toBe(4)
  expect(await names()).toEqual(['Invited', 'Plays', 'Saves', 'Speaks'])
  expect(await sweep()).toBe(0)

  const { learnerToken } = silent!
  const back = await play({ learnerToken, learnerName: 'Silent' })
  expect(back.learnerToken).not.toBe(learnerToken)
  expect(back.launch!.actor).not.toBe(silent!.launch!.actor)
})
