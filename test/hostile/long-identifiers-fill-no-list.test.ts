import { afterAll, beforeAll, expect, test } from 'vitest'
import { player, statement } from '../support/statements.ts'
import { startSystem, tokens, type System } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 1, gateways: 0 })
})
afterAll(() => system.close())

test('lists of learners stay small, whatever identifiers a game sends', async () => {
  const game = await system.game()
  const level = 'https://games.example.org/levels/1'
  const long = (n: number) => ({ account: { homePage: 'https://x.example', name: `same ${n}`.padEnd(200_000, 'x') } })
  const progressed = (actor: object) =>
    statement({
      actor,
      verb: { id: 'http://adlnet.gov/expapi/verbs/progressed' },
      object: { id: level },
      result: { extensions: { 'https://w3id.org/xapi/seriousgames/extensions/progress': 0.5 } },
    })
  for (const actor of [...Array.from({ length: 5 }, (_, n) => long(n)), { ...player('same'), name: 'Sam' }])
    await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify([progressed(actor)])) })
  const admin = system.connections[0]!.as(bearer(tokens.admin))
  for (const text of ['', 'same']) {
    const { learners } = await admin.learners.findLearners({ gameId: game.id, text })
    expect(learners.map(({ name }) => name)).toEqual(['Sam'])
  }
  const day = new Date().toISOString().slice(0, 10)
  const { players } = await admin.seriousGames.listProgress({
    gameId: game.id,
    from: day,
    to: day,
    activityId: level,
  })
  expect(players).toHaveLength(6)
  expect(players.reduce((sum, { actor }) => sum + actor.length, 0)).toBeLessThan(10_000)
})
