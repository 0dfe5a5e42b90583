import { knowledgeKey } from '../../xapi/document-scope.ts'
import type { Key } from '../../xapi/identify.ts'
import { sql, type Run } from '../../../process/database/database.ts'
import { along, everything, exactly, orderAlong, type Columns } from '../../../process/database/look.ts'
import { isHere } from './current.ts'

/** The keys under which an agent is found. */
export interface LearnerKeys {
  readonly key: Key
  readonly relatedKey: Key
  /** UUID of the agent's account, if the player made it. */
  readonly account?: string
  /** Only what these games hold; undefined: all games. */
  readonly only?: readonly number[]
}

/** A statement: its game and its position in the order. */
export interface LearnerPlace {
  readonly game: number
  readonly stored: number
}

export interface NamingStatement extends LearnerPlace {
  readonly gameId: string
  readonly sandbox: boolean
  readonly voided: boolean
  /** The agent is its actor. */
  readonly acts: boolean
  readonly body: string
}

/** Statements of a page, and bytes of their bodies: all that is in memory at a time. */
const pageSize = 200
const pageBytes = 1024 * 1024
/** Rows that find these statements: an erasure removes them while writers wait. */
const pageTerms = 2_000

export const acts = (game: string) => ({ game, actor: '$1' })
const term = (game: string, n: number) => ({ game, term: `$${n}` })
const from = (after: string) => ({ ...everything, after, ascending: true })
export const looked = (columns: Columns, after: string) =>
  `${along('r', columns, 'stored', from(after))} ${orderAlong('r', columns, 'stored', from(after))}`
/** Condition: the game is one of those that are asked for. */
export const asked = (game: string, n: number) => `($${n}::int[] is null or ${game} = any ($${n}))`
export const there = (table: string, columns: Columns) =>
  `(select true from ${table} r where ${looked(columns, '0')} limit 1)`
const gamesOf = (name: string, where: string) => sql(name)`
  select g.game, g.uuid as "gameId", g.sandbox_of is not null as sandbox from tenant g
    where ${where} and ${asked('g.game', 3)} and (${there('statement', acts('g.game'))}
      or ${there('posting', term('g.game', 1))}
      or ${there('posting', term('g.game', 2))}) order by g.game`
export const games = gamesOf('learner_games', isHere)
/** Also games that left rows in this cell, or whose statements are misplaced here: an erasure leaves nothing. */
const gamesAnywhere = gamesOf('learner_games_anywhere', 'true')
const way = (table: string, columns: Columns, where: string) =>
  `(select r.stored from ${table} r where ${where} and ${looked(columns, '$4')} limit ${pageSize})`
const posted = (n: number) => way('posting', term('$3', n), 'r.stored = r.target')
// Each way runs along an index in the order of `stored` and stops at the limit.
const namingPage = sql('learner_statements')`select * from (
      select f.*, sum(octet_length(body)) over (order by stored) - octet_length(body) as before,
        sum(terms) over (order by stored) - terms as rows_before
      from (
        select s.stored, s.voided, s.actor = $1 as acts, s.body, coalesce(cardinality(s.terms), 0) as terms
        from (
          select stored from (
            ${[way('statement', acts('$3'), 'true'), posted(1), posted(2)].join(' union ')}) w
          order by stored limit ${pageSize}) w
        cross join lateral (
          select s.* from statement s where ${exactly('s', { game: '$3', stored: 'w.stored' })} limit 1) s
        order by s.stored) f) sized
    where before < ${pageBytes} and rows_before < ${pageTerms} order by stored`
const sandboxes = sql('sandbox_uuids')`select uuid from tenant where sandbox_of is not null`

/** Keys of the agent's names and documents: one for all games, and one for each sandbox. */
export async function knownKeys(run: Run, { key }: LearnerKeys): Promise<Key[]> {
  return [key, ...(await run<{ uuid: string }>(sandboxes, [])).map(({ uuid }) => knowledgeKey(key, uuid))]
}

export type NamedGame = Pick<NamingStatement, 'game' | 'gameId' | 'sandbox'>

/** Games with statements that name the agent. */
export const namedGames = (run: Run, { key, relatedKey, only }: LearnerKeys, query: typeof games = gamesAnywhere) =>
  run<NamedGame>(query, [key, relatedKey, only ?? null])

/** The next statements of the game that name the agent. */
export async function nextNaming(
  run: Run,
  { key, relatedKey }: LearnerKeys,
  game: NamedGame,
  after: number,
): Promise<NamingStatement[]> {
  const rows = await run<Pick<NamingStatement, 'voided' | 'acts' | 'body'> & { stored: string }>(namingPage, [
    key,
    relatedKey,
    game.game,
    after,
  ])
  return rows.map(({ stored, voided, acts, body }) => ({ ...game, stored: Number(stored), voided, acts, body }))
}

/** Statements that name the agent, game by game and page by page. */
export async function* naming(run: Run, keys: LearnerKeys): AsyncGenerator<NamingStatement[]> {
  for (const game of await namedGames(run, keys, games)) {
    for (let after = 0; ;) {
      const page = await nextNaming(run, keys, game, after)
      if (page.length === 0) break
      yield page
      after = page.at(-1)!.stored
    }
  }
}
