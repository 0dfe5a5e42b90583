import { sql } from '../../process/database/database.ts'
import { markExpiring } from '../store/cell/copies.ts'
import type { Part } from './part.ts'

type Store = Pick<Part, 'database'>

const atOnce = 5_000
const first = '00000000-0000-0000-0000-000000000000'

const write = (table: string) => sql(`copy_write_${table}`)`
  insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb) on conflict do nothing`
/** All rows of the game at once: there are few. */
const whole = (table: string) => ({
  read: sql(`copy_${table}`)`select jsonb_agg(to_jsonb(t))::text as rows from ${table} t where game = $1`,
  write: write(table),
})
/** In pages along the key (game, `column`). */
const paged = (table: string, column: string) => ({
  read: sql(`copy_${table}`)`select jsonb_agg(to_jsonb(t))::text as rows, max(t.${column}::text) as last from (
      select * from ${table} where game = $1 and ${column} > $2::uuid order by game, ${column} limit ${atOnce}) t`,
  write: write(table),
})

const few = [whole('tally_build'), whole('expiry')]
const many = [
  paged('session_build', 'registration'),
  paged('expired_statement', 'id'),
  paged('returned_statement', 'id'),
]

const former = [paged('former_learner', 'learner')]

/** Copies what the server of a game's cell was told, and what does not follow from statements. */
export async function copyTold(from: Store, to: Store, game: number): Promise<void> {
  for (const { read, write } of few) {
    const [known] = await from.database.run<{ rows: string | null }>(read, [game])
    if (known!.rows !== null) await to.database.run(write, [known!.rows])
  }
  await copyPaged(many, from, to, game)
  await markExpiring(to.database.run, game)
}

/** Before the move is settled: an erasure until then makes it begin again, so no erased learner is copied. */
export const copyFormer = (from: Store, to: Store, game: number): Promise<void> => copyPaged(former, from, to, game)

async function copyPaged(tables: readonly ReturnType<typeof paged>[], from: Store, to: Store, game: number) {
  for (const { read, write } of tables) {
    for (let after = first; ;) {
      const [page] = await from.database.run<{ rows: string | null; last: string }>(read, [game, after])
      if (page!.rows === null) break
      await to.database.run(write, [page!.rows])
      after = page!.last
    }
  }
}
