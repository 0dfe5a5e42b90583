import { done, sql, type Database } from '../../../process/database/database.ts'
import type { Run } from '../../../analytics/store/cell/folds/counter.ts'

/** What a run has removed. */
export interface Expired {
  readonly statements: number
  readonly learners: number
  readonly documents: number
  readonly names: number
  readonly attachments: number
  /** `stored` of the oldest and of the newest removed statement: microseconds; null: none. */
  readonly first: number | null
  readonly last: number | null
}

const count = sql('expiry_count')`
  insert into expiry as e (run, game, apart, statements, learners, documents, names, attachments, first, last)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    on conflict (run, game, apart) do update set statements = e.statements + excluded.statements,
      learners = e.learners + excluded.learners, documents = e.documents + excluded.documents,
      names = e.names + excluded.names, attachments = e.attachments + excluded.attachments,
      first = least(e.first, excluded.first), last = greatest(e.last, excluded.last)`
const counted = sql('expiry_counted')`
  select statements::float8, learners::float8, documents::float8, names::float8, attachments::float8,
      first::float8, last::float8 from expiry where run = $1 and game = $2 and apart = $3`
const forgetRun = sql('expiry_forget')`delete from expiry where run = $1 and game = $2 and apart = $3`
const nothing = { statements: 0, learners: 0, documents: 0, names: 0, attachments: 0, first: null, last: null }

/** Adds to the numbers of a run, in the transaction that removes. @param apart documents, which are in no cell */
export async function addExpired(
  run: Run,
  id: string,
  game: number,
  apart: boolean,
  of: Partial<Expired>,
): Promise<void> {
  const { statements, learners, documents, names, attachments, first, last } = { ...nothing, ...of }
  await run(count, [id, game, apart, statements, learners, documents, names, attachments, first, last])
}

/** Numbers of runs that are under way. */
export function expiryCounts({ run }: Pick<Database, 'run'>) {
  return {
    /** What the run has removed of a game. */
    counted: async (id: string, game: number, apart: boolean): Promise<Expired> =>
      (await run<Expired>(counted, [id, game, apart]))[0] ?? nothing,

    /** Forgets the numbers: they are kept elsewhere now. */
    finish: (id: string, game: number, apart: boolean) => done(run(forgetRun, [id, game, apart])),
  }
}
