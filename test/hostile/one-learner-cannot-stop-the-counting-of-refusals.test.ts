import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Game } from '../support/games.ts'
import { inTurns } from '../support/in-turns.ts'
import { player } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'

let system: System
let game: Game
beforeAll(async () => {
  system = await startSystem()
  game = await system.game()
})
afterAll(() => system.close())

/** Requests of a game that are counted as refused. */
async function countedOf({ id }: Game): Promise<number> {
  await system.cores[0]!.refusals.flush()
  const [row] = await system.database.sql<{ count: number }>(
    'select coalesce(sum(count), 0)::int as count from refusal_tally t join game g on g.id = t.game where g.uuid = $1',
    [id],
  )
  return row!.count
}

test('mistakes beyond the most kinds are still counted, and so are those of other games', async () => {
  const authorization = await game.launch(player('eve'))
  for (const burst of ['a', 'b', 'c']) {
    const before = await countedOf(game)
    await inTurns(
      Array.from({ length: 150 }, (_, n) => `${burst}${n}`),
      8,
      async (name) => {
        const response = await fetch(`${system.urls[0]}/xapi/statements?unknown-${name}=1`, {
          headers: { authorization, 'x-experience-api-version': '1.0.3' },
        })
        expect(response.status).toBe(400)
      },
    )
    // a busy gateway does not report every refusal to core
    await expect.poll(() => countedOf(game)).toBeGreaterThan(before + 100)
  }
  const victim = await system.game()
  expect((await victim.xapi().post({})).status).toBe(400)
  await expect.poll(() => countedOf(victim)).toBe(1)
})
