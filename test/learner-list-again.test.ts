import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Game } from './support/games.ts'
import { ageIn, receiptsIn } from './support/retention.ts'
import { player, statement } from './support/statements.ts'
import { startSystem, type System } from './support/system.ts'

/** The list of learners tells what the statements say that are left, by the start of the game that is set now. */
let system: System
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
})
afterAll(() => system.close())

const dayMs = 86_400_000
const now = Math.floor(Date.now() / 1000) * 1000
const played = (name: string, days: number, who = 'ann') =>
  statement({ actor: { ...player(who), name }, timestamp: new Date(now - days * dayMs).toISOString() })
const send = async (game: Game, list: object[]) =>
  (await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })).ids

/** Name, days since the first and the last time, and number of statements. */
async function listed(game: Game, text = '') {
  for (;;) {
    const { learners, complete } = await system.admin.learners.findLearners({ gameId: game.id, text })
    if (!complete) continue
    const days = (micros: bigint) => Math.round((now - Number(micros) / 1000) / dayMs) + 0
    return learners.map(({ name, firstSeen, lastSeen, statements }) => [
      name,
      days(firstSeen),
      days(lastSeen),
      Number(statements),
    ])
  }
}

test('after retention', async () => {
  const game = await system.game()
  const late = [played('Ann Late', 150), played('Ann Early', 200), played('Ann Early', 199)]
  await ageIn(system, game, await send(game, late), 140)
  await send(game, [played('Ann Now', 20), played('Ann Now', 160), played('Ann Now', 3)])
  expect(await listed(game)).toEqual([['Ann Now', 200, 3, 6]])
  expect(await listed(game, 'early')).toHaveLength(1)
  await system.admin.retention.setRetention({ gameId: game.id, retention: { statementMonths: 2 } })
  await receiptsIn(system, game.id)
  expect(await listed(game)).toEqual([['Ann Now', 160, 3, 3]])
  expect(await listed(game, 'early')).toEqual([])
})

test('after the start of the game was set', async () => {
  const game = await system.game()
  await send(game, [played('Ann', 50), played('Ann', 20), played('Ben', 40, 'ben')])
  expect(await listed(game)).toEqual([
    ['Ann', 50, 20, 2],
    ['Ben', 40, 40, 1],
  ])
  await system.admin.counting.setStart({ gameId: game.id, start: BigInt((now - 30 * dayMs) / 1000) })
  expect((await listed(game)).toSorted()).toEqual([
    ['Ann', 20, 0, 2],
    ['Ben', 0, 0, 1],
  ])
})

test('of a learner with many statements, and without a view', async () => {
  const game = await system.game()
  const sent: string[] = []
  for (let n = 0; n < 6; n++)
    sent.push(
      ...(await send(
        game,
        Array.from({ length: 200 }, (_, m) => played('Ann', 100 - n - m / 400)),
      )),
    )
  await send(game, [played('Ben', 10, 'ben')])
  expect(await listed(game)).toEqual([
    ['Ben', 10, 10, 1],
    ['Ann', 100, 95, 1_200],
  ])
  await ageIn(system, game, sent.slice(0, 100), 100)
  await system.admin.retention.setRetention({ gameId: game.id, retention: { statementMonths: 2 } })
  await receiptsIn(system, game.id)
  const waiting = () => system.database.sql('select from seen_again')
  await expect.poll(waiting, { timeout: 60_000 }).toEqual([])
  const [, ann] = await system.database.sql<{ first: string; statements: string }>(
    'select first, statements from learner_seen where game = (select id from game where uuid = $1) order by last desc',
    [game.id],
  )
  expect(ann).toEqual({ first: String((now - (100 - 100 / 400) * dayMs) * 1000), statements: '1100' })
})
