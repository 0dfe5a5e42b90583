import { afterAll, beforeAll, expect, test } from 'vitest'
import { player, statement } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { bestOfThree } from '../support/cost.ts'
import { connectionTo } from '../support/database.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ hasty: true })
})
afterAll(() => system.close())

test('two games whose queries are stuck leave connections to the writes and reads of others', bestOfThree, async () => {
  const slow = await Promise.all([system.game(), system.game()])
  const neighbour = (await system.game()).xapi()
  expect((await neighbour.post(statement())).status).toBe(200)
  const locking = await connectionTo(system.database.url)
  let stuck: Promise<unknown>[] = []
  try {
    await locking.query('begin')
    await locking.query('lock table document in access exclusive mode')
    const query = { agent: player('ann'), activityId: 'https://games.example.org/activities/chess' }
    stuck = slow.flatMap((game) =>
      Array.from({ length: 20 }, () => game.xapi().request('GET', 'activities/state', { query })),
    )
    await new Promise((done) => setTimeout(done, 200))

    const began = performance.now()
    const answers = await Promise.all([neighbour.post(statement()), neighbour.get({ limit: 1 })])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(performance.now() - began).toBeLessThan(1_500)
  } finally {
    await locking.end()
    await Promise.all(stuck)
  }
})
