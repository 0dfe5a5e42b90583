import { afterAll, beforeAll, expect, test } from 'vitest'
import { statement } from '../support/statements.ts'
import { addStudio, type Studio } from '../support/studios.ts'
import { startSystem, type System } from '../support/system.ts'
import { bestOfThree } from '../support/cost.ts'
import { connectionTo } from '../support/database.ts'

let system: System
let fox: Studio
let owl: Studio
beforeAll(async () => {
  system = await startSystem({ hasty: true })
  fox = await addStudio(system, 'Blue Fox')
  owl = await addStudio(system, 'Owl')
})
afterAll(() => system.close())

/** A game that has been tried once, so that there are statements of its sandbox to count. */
async function tried(studio: Studio): Promise<string> {
  const { gameId } = await studio.on().games.createGame({ name: 'Quiz' })
  await system.database.sql(
    `insert into game (uuid, name, sandbox_of) select gen_random_uuid(), name, id from game where uuid = $1`,
    [gameId],
  )
  return gameId
}

test(
  'charts that are stuck, of all games of a studio, leave connections to the writes, reads and charts of others',
  bestOfThree,
  async () => {
    const mine = await Promise.all(Array.from({ length: 5 }, () => tried(fox)))
    const other = await tried(owl)
    const neighbour = (await system.game()).xapi()
    expect((await neighbour.post(statement())).status).toBe(200)
    const locking = await connectionTo(system.database.url)
    let stuck: Promise<unknown>[] = []
    try {
      await locking.query('begin')
      await locking.query('lock table presence_tally in access exclusive mode')
      const range = { from: '2026-11-01', to: '2026-11-30', sandbox: true }
      const ask = (studio: Studio, gameId: string) =>
        studio.on().insights.getInsights({ gameId, ...range }, { timeoutMs: 10_000 })
      stuck = Array.from({ length: 40 }, (_, n) => ask(fox, mine[n % 5]!).catch(() => undefined))
      await new Promise((done) => setTimeout(done, 300))

      const began = performance.now()
      const answers = await Promise.all([neighbour.post(statement()), neighbour.get({ limit: 1 })])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(performance.now() - began).toBeLessThan(1_500)
      const chart = ask(owl, other)
      await new Promise((done) => setTimeout(done, 100))
      await locking.query('rollback')
      await chart
      expect(performance.now() - began).toBeLessThan(2_000)
    } finally {
      await locking.end()
      await Promise.all(stuck)
    }
  },
)
