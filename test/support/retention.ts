import { expect } from 'vitest'
import { expireNext } from './expire-next.ts'
import type { Game } from './games.ts'
import type { System } from './system.ts'

export const tenantIn = async (system: System, game: Game): Promise<number> =>
  (await system.database.sql<{ id: number }>('select id from game where uuid = $1', [game.id]))[0]!.id

/** As if they had been stored `days` days ago. */
export async function ageIn(system: System, game: Game, ids: readonly string[], days: number): Promise<void> {
  const by = days * 86_400 * 1e6
  const { sql } = system.database
  const values = [await tenantIn(system, game), ids, by]
  await sql(
    `update posting p set stored = p.stored - case when p.stored = p.target then $3::bigint else 0 end,
      target = p.target - $3
    from statement s where s.game = $1 and s.id = any ($2::uuid[]) and p.game = s.game and p.target = s.stored`,
    values,
  )
  await sql(
    `with a as (update statement_attachment a set stored = a.stored - $3 from statement s
      where s.game = $1 and s.id = any ($2::uuid[]) and a.game = s.game and a.stored = s.stored)
    update statement set stored = stored - $3 where game = $1 and id = any ($2::uuid[])`,
    values,
  )
}

/** The receipts, once nothing is under way; the cores' own job may have been first. */
export async function receiptsIn(system: System, gameId: string) {
  const { store, config } = system.cores[0]!
  await expect
    .poll(async () => {
      await expireNext({ store, config })
      const [row] = await system.database.sql<{ waits: boolean }>(
        `select r.next_run <= now() or r.leased is not null as waits from retention r join game g on g.id = r.game ` +
          `where g.uuid = $1`,
        [gameId],
      )
      return row!.waits
    })
    .toBe(false)
  return (await system.admin.retention.getRetention({ gameId })).receipts
}
