import type { Key } from '../../core/records/xapi/identify.ts'
import type { TestDatabase } from '../support/database.ts'

/** Values to filter by: the most common one, one of few statements, and one of no statement. */
export interface Values {
  common: Key
  rare: Key
  absent: Key
}

/** Values to use in calls of a filled store. */
export interface Probes {
  credential: { id: number; version: number; game: number; gameId: string; authority: string }
  actor: Values
  verb: Values
  activity: Values
  registration: Values
  /** Terms of postings: related agents and activities. */
  term: Values
  /** Ids of statements. The last one is voided if any is. */
  ids: string[]
  /** A place in the middle of the order. */
  middle: number
  /** How many index entries a key has, including those of statements that refer to others. */
  entries: Map<Key, number>
}

export const absent = 'ffffffff-ffff-4fff-8fff-ffffffffffff'

export async function probesOf({ sql }: TestDatabase, credential: Probes['credential']): Promise<Probes> {
  const { game } = credential
  const values = async (table: string, column: string): Promise<Values> => {
    const counts = await sql<{ value: string }>(
      `select ${column} as value from ${table} where game = $1 and ${column} is not null
       group by 1 order by count(*) desc, 1`,
      [game],
    )
    const rare = await sql<{ value: string }>(
      `select ${column} as value from ${table} where game = $1 and ${column} is not null order by stored limit 1`,
      [game],
    )
    return { common: counts[0]?.value ?? absent, rare: rare[0]?.value ?? absent, absent }
  }
  const entries = await sql<{ key: Key; count: number }>(
    `select key, count(*)::int as count from (
      select unnest(array[actor, verb, activity, registration]) as key from statement where game = $1
      union all select term from posting where game = $1) k
    group by key`,
    [game],
  )
  const places = await sql<{ id: string; stored: string }>(
    'select id, stored from statement where game = $1 order by voided, stored',
    [game],
  )
  return {
    credential,
    actor: await values('statement', 'actor'),
    verb: await values('statement', 'verb'),
    activity: await values('statement', 'activity'),
    registration: await values('statement', 'registration'),
    term: await values('posting', 'term'),
    ids: [0, 0.3, 0.6, 1].map((at) => places[Math.floor((places.length - 1) * at)]?.id ?? absent),
    entries: new Map(entries.map(({ key, count }) => [key, count])),
    middle: Number(places[Math.floor(places.length / 2)]?.stored ?? 0),
  }
}
