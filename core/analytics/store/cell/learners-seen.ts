import { learnerPages } from '../../../../shared/limits.ts'
import { learnersSeen, type NextStatement } from '../../rules/learners-seen.ts'
import type { Key } from '../../../records/xapi/identify.ts'
import type { Database, Run } from '../../../process/database/database.ts'
import { along, everything, exactly, orderAlong } from '../../../process/database/look.ts'
import { batchBytes, batchStatements, gamesSeenAgain, nextAgain, seeAllAgain, seenAgain } from './seen-again.ts'

/** A learner of a game, in short. Times are microseconds. */
export interface LearnerInShort {
  readonly actor: Key
  /** JSON of the identifier. */
  readonly agent: string
  readonly name: string
  readonly first: number
  readonly last: number
  readonly statements: number
  readonly sessions: number
  readonly team: boolean
}

/** A client with its version, and who used it last. */
export interface ClientVersion {
  /** Empty: their statements tell none. */
  readonly client: string
  readonly players: number
  /** Microseconds. */
  readonly lastSeen: number
}

export interface SessionInShort {
  readonly registration: string
  /** Milliseconds. */
  readonly began: number
  readonly ended: number
  readonly statements: number
}

export interface LatestStatement {
  readonly stored: number
  readonly voided: boolean
  readonly body: string
}

/** A place in the words of a game. */
export interface WordPlace {
  readonly word: string
  readonly actor: Key
}

const none = '00000000-0000-0000-0000-000000000000'
const hex = (column: string) => `replace(${column}::text, '-', '')`

const addCursor = {
  name: 'learner_add_cursor',
  text: 'insert into learner_cursor (game) values ($1) on conflict do nothing',
}
const lockCursor = {
  name: 'learner_lock_cursor',
  text: `select c.stored::float8 as stored, t.start::float8 as start,
      c.start is not distinct from t.start as "isCurrent"
    from learner_cursor c join tenant t on t.game = c.game where c.game = $1 for update of c skip locked`,
}
const sinceCursor = { ...everything, after: '$2', ascending: true }
const next = {
  name: 'learner_next_statements',
  text: `select stored, actor, registration, body, bytes from (
      select r.*, sum(octet_length(body)) over (order by stored) as bytes from (
        select * from statement r where ${along('r', { game: '$1' }, 'stored', sinceCursor)}
        ${orderAlong('r', { game: '$1' }, 'stored', sinceCursor)} limit ${batchStatements}) r) n
    where bytes - octet_length(body) < ${batchBytes} order by stored`,
}
const add = {
  name: 'learner_add_seen',
  text: `with
    played as (
      insert into seen_session as s (game, registration, actor, first, last, began, ended, statements)
      select $1, * from unnest($3::uuid[], $4::uuid[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
        $9::bigint[])
      on conflict (game, registration, actor) do update set last = excluded.last,
        began = least(s.began, excluded.began), ended = greatest(s.ended, excluded.ended),
        statements = s.statements + excluded.statements
      returning s.actor, xmax = 0 as added),
    learners as (
      insert into learner_seen as l (game, actor, agent, name, first, last, statements, team, client, sessions)
      select $1, n.actor, n.agent, n.name, n.first, n.last, n.statements, n.team, n.client,
        (select count(*) from played p where p.actor = n.actor and p.added)
      from unnest($10::uuid[], $11::text[], $12::text[], $13::bigint[], $14::bigint[], $15::bigint[], $18::bool[],
        $19::text[]) n (actor, agent, name, first, last, statements, team, client)
      on conflict (game, actor) do update set first = least(l.first, excluded.first),
        last = greatest(l.last, excluded.last), team = excluded.team, statements = l.statements + excluded.statements,
        sessions = l.sessions + excluded.sessions, client = coalesce(nullif(excluded.client, ''), l.client, ''),
        name = case when excluded.name = '' then l.name else excluded.name end),
    words as (
      insert into seen_word (game, actor, word) select $1, * from unnest($16::uuid[], $17::text[])
      on conflict do nothing)
    update learner_cursor set stored = $2 where game = $1`,
}
const folded = `coalesce((select c.stored from learner_cursor c where ${exactly('c', { game: '$1' })}), 0)`
const notFolded = { ...everything, after: folded, ascending: true }
const isBehind = {
  name: 'learner_is_behind',
  text: `select exists (select from statement r where ${along('r', { game: '$1' }, 'stored', notFolded)}
    ${orderAlong('r', { game: '$1' }, 'stored', notFolded)} limit 1)
    or exists (select from seen_again where game = $1) as behind`,
}

const inShort = `${hex('l.actor')} as actor, l.agent, l.name, l.first::float8 as first, l.last::float8 as last,
  l.statements::float8 as statements, l.sessions::float8 as sessions, l.team`
const recent = (teams: boolean) => ({
  name: teams ? 'team_recent' : 'learner_recent',
  text: `select ${inShort} from learner_seen l
    where ${teams ? '' : 'not '}l.team and (l.game, l.last, l.actor) < ($1, $2, $3)
      and (l.game, l.last, l.actor) > ($1, 0, '${none}')
    order by l.game desc, l.last desc, l.actor desc limit $4`,
})
const clients = {
  name: 'learner_clients',
  text: `select client, count(*)::int as players, max(last)::float8 as "lastSeen" from (
      select l.client, l.last from learner_seen l
      where not l.team and (l.game, l.last, l.actor) > ($1, $2, '${none}')
        and (l.game, l.last, l.actor) < ($1, ${Number.MAX_SAFE_INTEGER}, '${none}')
      order by l.game desc, l.last desc, l.actor desc limit ${learnerPages.candidates}) n
    where client is not null group by client order by players desc, client limit ${learnerPages.clients}`,
}
const recentOf = { people: recent(false), teams: recent(true) }
/** The rows of a prefix: from it up to what is after every text that begins with it. */
const begins = (alias: string, low: string, high: string) =>
  `(${alias}.game, ${alias}.word) >= ($1, ${low}) and (${alias}.game, ${alias}.word) < ($1, ${high})`
const countOf = {
  name: 'learner_count_word',
  text: `select count(*)::int as count from (
    select from seen_word w where ${begins('w', '$2', '$3')} order by w.game, w.word limit ${learnerPages.candidates}) n`,
}
const candidates = {
  name: 'learner_candidates',
  text: `select w.word, ${hex('w.actor')} as actor from seen_word w
    where (w.game, w.word, w.actor) > ($1, $2, $3) and (w.game, w.word, w.actor) < ($1, $4, '${none}')
    order by w.game, w.word, w.actor limit $5`,
}
const ownWord = (alias: string, low: string, high: string) =>
  `(${alias}.game, ${alias}.actor, ${alias}.word) >= ($1, c.actor, ${low})
    and (${alias}.game, ${alias}.actor, ${alias}.word) < ($1, c.actor, ${high})`
const matching = {
  name: 'learner_matching',
  text: `select c.word, ${inShort} from unnest($2::text[], $3::uuid[]) with ordinality c (word, actor, n)
    cross join lateral (select * from learner_seen l where ${exactly('l', { game: '$1', actor: 'c.actor' })} limit 1) l
    where l.team = $7 and not exists (select from seen_word e where ${ownWord('e', '$4', 'c.word')})
      and not exists (
        select from unnest($5::text[], $6::text[]) o (low, high)
        where not exists (select from seen_word e where ${ownWord('e', 'o.low', 'o.high')}))
    order by c.n`,
}
const some = {
  name: 'learner_some',
  text: `select ${inShort} from unnest($2::uuid[]) a (actor)
    cross join lateral (select * from learner_seen l where ${exactly('l', {
      game: '$1',
      actor: 'a.actor',
    })} limit 1) l`,
}
const sessions = {
  name: 'learner_sessions',
  text: `select a.registration::text, s.* from unnest($2::uuid[]) a (registration)
    cross join lateral (
      select min(began)::float8 as began, max(ended)::float8 as ended, sum(statements)::float8 as statements from (
        select * from seen_session s where (s.game, s.registration) >= ($1, a.registration)
          and (s.game, s.registration) <= ($1, a.registration)
        order by s.game, s.registration limit ${learnerPages.sessionLearners}) o) s
    where s.began is not null`,
}
const newest = { ...everything, ascending: false }
const latest = {
  name: 'learner_latest_statements',
  text: `select stored::float8, voided, body from (
      select r.*, sum(octet_length(body)) over (order by stored desc) as bytes from (
        select r.stored, r.voided, r.body from statement r
        where ${along('r', { game: '$1', actor: '$2' }, 'stored', newest)}
        ${orderAlong('r', { game: '$1', actor: '$2' }, 'stored', newest)}
        limit ${learnerPages.statements + 1}) r) s
    where bytes - octet_length(body) < ${learnerPages.bytes} order by stored`,
}
const lockCursors = {
  name: 'seen_lock_cursors',
  text: 'select from learner_cursor where game = any ($1) order by game for update',
}
const forget = {
  name: 'learner_forget_seen',
  text: `with w as (delete from seen_word where game = any ($1) and actor = $2),
    s as (delete from seen_session where game = any ($1) and actor = $2),
    a as (delete from seen_again where game = any ($1) and actor = $2)
    delete from learner_seen where game = any ($1) and actor = $2`,
}

const patiently = { name: 'seen_patiently', text: "select set_config('statement_timeout', $1, true)" }
const forgetAll = {
  name: 'seen_forget_all',
  text: `with w as (delete from seen_word where game = $1), s as (delete from seen_session where game = $1),
      l as (delete from learner_seen where game = $1), a as (delete from seen_again where game = $1)
    update learner_cursor set stored = 0 where game = $1`,
}

interface SeenCursor extends Record<string, unknown> {
  readonly stored: number
  /** Of the game, as for `happenedAt`. */
  readonly start: number | null
  readonly isCurrent: boolean
}

async function addSeen(run: Run, game: number, { stored, start }: SeenCursor, rows: readonly NextStatement[]) {
  const seen = learnersSeen(rows, start)
  await run(add, [
    game,
    stored,
    ...columns(seen.sessions, 'registration', 'actor', 'first', 'last', 'began', 'ended', 'statements'),
    ...columns(seen.learners, 'actor', 'agent', 'name', 'first', 'last', 'statements'),
    ...columns(seen.words, 'actor', 'word'),
    ...columns(seen.learners, 'team', 'client'),
  ])
}

/** Makes some learners again. */
async function again(run: Run, game: number, cursor: SeenCursor): Promise<'more' | 'done'> {
  const rows = await nextAgain(run, game, cursor.stored)
  if (!rows) return 'done'
  await addSeen(run, game, cursor, rows)
  return 'more'
}

/** After every text that begins with the word. */
const after = (word: string): string => `${word}\u{10ffff}`

/** Learners of a game, as its statements tell. Each game is folded step by step. */
export function learnersSeenStore({ run, transaction }: Pick<Database, 'run' | 'transaction'>) {
  return {
    /** Folds the next statements. 'busy': another core does. */
    fold: (game: number): Promise<'more' | 'done' | 'busy'> =>
      transaction(async (run) => {
        const [cursor] = await run<SeenCursor>(lockCursor, [game])
        if (!cursor) return 'busy'
        if (!cursor.isCurrent) {
          await seeAllAgain(run, game)
          return 'more'
        }
        const rows = await run<NextStatement & { stored: never; bytes: string }>(next, [game, cursor.stored])
        if (rows.length === 0) return again(run, game, cursor)
        const waiting = await seenAgain(run, game, [...new Set(rows.map(({ actor }) => actor))])
        const stored = Number(rows.at(-1)!.stored)
        const added = rows.map((row) => ({ ...row, stored: Number(row.stored) }))
        await addSeen(
          run,
          game,
          { ...cursor, stored },
          added.filter(({ actor }) => !waiting.has(actor)),
        )
        const isFull = rows.length === batchStatements || Number(rows.at(-1)!.bytes) >= batchBytes
        return isFull ? 'more' : again(run, game, { ...cursor, stored })
      }),
    /** Games with learners of whom statements were removed since. */
    behind: (): Promise<number[]> => gamesSeenAgain(run),
    begin: async (game: number): Promise<void> => void (await run(addCursor, [game])),
    isBehind: async (game: number): Promise<boolean> => (await run<{ behind: boolean }>(isBehind, [game]))[0]!.behind,

    /** Those that were seen before this place, the last seen first. */
    recent: (
      game: number,
      teams: boolean,
      place: { last: number; actor: Key } | undefined,
      limit: number,
    ): Promise<LearnerInShort[]> =>
      run<LearnerInShort & Record<string, unknown>>(teams ? recentOf.teams : recentOf.people, [
        game,
        place?.last ?? Number.MAX_SAFE_INTEGER,
        place?.actor ?? none,
        limit,
      ]),

    /** Clients of people who were seen since: microseconds. */
    clients: (game: number, since: number): Promise<ClientVersion[]> =>
      run<ClientVersion & Record<string, unknown>>(clients, [game, since]),

    /** The one of these beginnings that the fewest words have. */
    async rarest(game: number, words: readonly string[]): Promise<string> {
      let found = { word: words[0]!, count: Infinity }
      for (const word of words) {
        const [{ count } = { count: 0 }] = await run<{ count: number }>(countOf, [game, word, after(word)])
        if (count < found.count) found = { word, count }
      }
      return found.word
    },

    /** Places of words that begin with this one. */
    candidates: (game: number, word: string, place: WordPlace | undefined, limit: number): Promise<WordPlace[]> =>
      run<WordPlace & Record<string, unknown>>(candidates, [
        game,
        place?.word ?? word,
        place?.actor ?? none,
        after(word),
        limit,
      ]),

    /** Learners at these places who have words with the other beginnings, each at its first place. */
    matching: (
      game: number,
      places: readonly WordPlace[],
      word: string,
      others: readonly string[],
      teams: boolean,
    ): Promise<(LearnerInShort & { word: string })[]> =>
      run<LearnerInShort & { word: string } & Record<string, unknown>>(matching, [
        game,
        places.map((place) => place.word),
        places.map(({ actor }) => actor),
        word,
        others,
        others.map(after),
        teams,
      ]),

    some: (game: number, actors: readonly Key[]): Promise<LearnerInShort[]> =>
      run<LearnerInShort & Record<string, unknown>>(some, [game, actors]),
    sessions: (game: number, registrations: readonly string[]): Promise<SessionInShort[]> =>
      run<SessionInShort & Record<string, unknown>>(sessions, [game, registrations]),

    /**
     * The newest statements of a learner, the oldest first; one more than are looked at tells that there are older
     * ones.
     */
    latest: (game: number, actor: Key): Promise<LatestStatement[]> =>
      run<LatestStatement & Record<string, unknown>>(latest, [game, actor]),
  }
}

/** Removes what was folded of a learner, in the transaction of an erasure. */
export async function forgetSeen(run: Database['run'], games: readonly number[], actor: Key): Promise<void> {
  await run(lockCursors, [games])
  await run(forget, [games, actor])
}

/** Makes the list of learners of a game start again from its first statement. */
export async function forgetAllSeen(run: Database['run'], game: number, milliseconds: number): Promise<void> {
  await run(patiently, [String(milliseconds)])
  await run(lockCursors, [[game]])
  await run(forgetAll, [game])
}

const columns = <Row, Name extends keyof Row>(rows: readonly Row[], ...names: Name[]): Row[Name][][] =>
  names.map((name) => rows.map((row) => row[name]))
