import { learnerPages } from '../../../shared/limits.ts'
import { knowledgeKey } from '../../xapi/document-scope.ts'
import type { Key } from '../../xapi/identify.ts'
import type { Database } from '../database.ts'
import { cellsEntered } from './enter.ts'
import { isHere } from './current.ts'
import { recount } from './game-bytes.ts'
import { forgetLearners } from './tallies.ts'
import { forgetSeen } from './learners-seen.ts'
import { along, everything, exactly, orderAlong, type Columns } from '../look.ts'

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

export interface HeldDocument {
  readonly kind: 'state' | 'agent-profile'
  readonly gameId: string
  readonly activityId: string
  readonly registration: string
  readonly id: string
  readonly contentType: string
  readonly content: Buffer
  /** Microseconds. */
  readonly updated: number
}

/** A state document, without its content. */
export interface StateInShort {
  readonly activityId: string
  readonly registration: string
  readonly id: string
  readonly contentType: string
  readonly size: number
  /** Microseconds. */
  readonly updated: number
}

/** Statements of a page, and bytes of their bodies: all that is in memory at a time. */
const pageSize = 200
const pageBytes = 1024 * 1024
const documentsAtOnce = 4
const none = '0'.repeat(32)

const acts = (game: string) => ({ game, actor: '$1' })
const term = (game: string, n: number) => ({ game, term: `$${n}` })
const from = (after: string) => ({ ...everything, after, ascending: true })
const looked = (columns: Columns, after: string) =>
  `${along('r', columns, 'stored', from(after))} ${orderAlong('r', columns, 'stored', from(after))}`
/** Condition: the game is one of those that are asked for. */
const asked = (game: string, n: number) => `($${n}::int[] is null or ${game} = any ($${n}))`
const there = (table: string, columns: Columns) => `(select true from ${table} r where ${looked(columns, '0')} limit 1)`
const games = {
  name: 'learner_games',
  text: `select g.game, g.uuid as "gameId", g.sandbox_of is not null as sandbox from tenant g
    where ${isHere} and ${asked('g.game', 3)} and (${there('statement', acts('g.game'))} or ${there('posting', term('g.game', 1))}
      or ${there('posting', term('g.game', 2))}) order by g.game`,
}
const way = (table: string, columns: Columns, where: string) =>
  `(select r.stored from ${table} r where ${where} and ${looked(columns, '$4')} limit ${pageSize})`
const posted = (n: number, where = 'r.stored = r.target') => way('posting', term('$3', n), where)
const ofOthers = `r.stored = r.target and not coalesce((
    select a.actor = $1 from statement a
    where ${exactly('a', { game: 'r.game', stored: 'r.stored' })} limit 1), false)`
// Each way runs along an index in the order of `stored` and stops at the limit.
const pageOf = (ways: string[]) => `select * from (
    select f.*, sum(octet_length(body)) over (order by stored) - octet_length(body) as before from (
      select s.stored, s.voided, s.actor = $1 as acts, s.body
      from (select stored from (${ways.join(' union ')}) w order by stored limit ${pageSize}) w
      cross join lateral (
        select s.* from statement s where ${exactly('s', { game: '$3', stored: 'w.stored' })} limit 1) s
      order by s.stored) f) sized
    where before < ${pageBytes} order by stored`
const namingPages = {
  all: { name: 'learner_statements', text: pageOf([way('statement', acts('$3'), 'true'), posted(1), posted(2)]) },
  ofOthers: { name: 'learner_statements_of_others', text: pageOf([posted(1, ofOthers), posted(2, ofOthers)]) },
}
const acting = {
  name: 'learner_acting',
  text: `select g.game, s.stored from tenant g
    cross join lateral (select r.stored from statement r where ${looked(acts('g.game'), '0')} offset 0) s
    where ${isHere} and ${asked('g.game', 2)}`,
}
const sandboxes = { name: 'sandbox_uuids', text: 'select uuid from tenant where sandbox_of is not null' }
const namesOf = {
  name: 'learner_names',
  text: 'select name from agent_name where agent = any ($1) and name is not null order by stored',
}
const documentKeys = {
  name: 'learner_document_keys',
  text: `select d.scope, d.registration, d.id_key as key from unnest($1::uuid[]) a (agent)
    cross join lateral (
      select d.* from document d where d.agent is not null and ${exactly('d', { agent: 'a.agent' })} offset 0) d
    where ${asked('d.game', 2)} order by 1, 2, 3`,
}
const documents = {
  name: 'learner_documents',
  text: `select case when d.activity is null then 'agent-profile' else 'state' end as kind,
      coalesce((select g.uuid::text from tenant g where g.game = d.game and d.activity is not null), '') as "gameId",
      coalesce(d.activity, '') as "activityId",
      case when d.registration = $4::uuid then '' else d.registration::text end as registration,
      d.id, d.content_type as "contentType", d.content, d.updated
    from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality a (scope, registration, key, n)
    cross join lateral (
      select d.* from document d
      where ${exactly('d', { scope: 'a.scope', registration: 'a.registration', id_key: 'a.key' })} limit 1) d
    order by a.n`,
}
const stateColumns = `d.activity as "activityId",
  case when d.registration = '${none}' then '' else d.registration::text end as registration, d.id,
  d.content_type as "contentType", octet_length(d.content)::float8 as size, d.updated::float8 as updated`
const states = {
  name: 'learner_states',
  text: `select ${stateColumns} from (
      select * from document d where d.agent is not null and ${exactly('d', { agent: '$1' })} limit 10000) d
    where d.game = $2 and d.activity is not null order by d.updated desc limit ${learnerPages.documents}`,
}
const state = {
  name: 'learner_state',
  text: `select ${stateColumns}, substring(d.content for ${learnerPages.content}) as content from (
      select * from document d where d.agent is not null and ${exactly('d', { agent: '$1' })} limit 10000) d
    where d.game = $2 and d.activity = $3 and d.registration = $4 and d.id = $5 limit 1`,
}
const lockOrder = {
  name: 'learner_lock_order',
  text: `select pg_advisory_xact_lock(2026, order_lock(this_cell())), set_config('statement_timeout', $1, true)`,
}
const countErasure = { name: 'learner_count_erasure', text: "select nextval('erasure')" }
const lockCursors = {
  name: 'learner_lock_cursors',
  text: `select c.game from tally_cursor c join tenant g on g.game = c.game
    where c.game = any ($1) and ${isHere} order by c.game for update of c`,
}
const actorsOf = {
  name: 'learner_actors_of',
  text: `select distinct s.game, s.actor from unnest($1::int[], $2::bigint[]) k (game, stored)
    cross join lateral (
      select s.game, s.actor from statement s
      where ${exactly('s', { game: 'k.game', stored: 'k.stored' })} limit 1) s`,
}
const eraseStatements = { name: 'learner_erase_statements', text: 'select * from erase_statements($1, $2)' }
const rewrite = {
  name: 'learner_rewrite',
  text: `with new as (
      select * from unnest($1::int[], $2::bigint[], $3::text[], $4::uuid[]) n (game, stored, body, actor)),
    links as (
      update posting p set term = n.actor from new n join statement o on o.game = n.game and o.stored = n.stored
      where o.actor <> n.actor and p.game = n.game and p.term = o.actor and p.target = n.stored)
    update statement s set body = n.body, actor = n.actor,
      terms = array_replace(array_replace(s.terms, $5::uuid, $7::uuid), $6::uuid, $8::uuid)
    from new n where s.game = n.game and s.stored = n.stored`,
}
const renamePostings = {
  name: 'learner_rename_postings',
  text: `with renamed as (
      update posting p set term = case when p.term = $1::uuid then $3::uuid else $4::uuid end from tenant g
      where p.game = g.game and p.term in ($1::uuid, $2::uuid) and ${asked('p.game', 5)} returning 1)
    select count(*)::int as count from renamed`,
}
const renameDays = {
  name: 'learner_rename_days',
  text: 'update learner_day set actor = $2 where game = any ($3) and actor = $1',
}
const eraseDocuments = {
  name: 'learner_erase_documents',
  text: `with gone as (delete from document where agent = any ($1) and ${asked('game', 2)} returning activity)
    select (count(*) filter (where activity is not null))::int as states,
      (count(*) filter (where activity is null))::int as "agentProfiles" from gone`,
}
const unknown = {
  name: 'learner_unknown',
  text: `select n::int from unnest($1::int[], $2::uuid[], $3::uuid[]) with ordinality k (game, key, related, n)
    where not exists (select from agent_name o where o.agent = k.key)
      and not exists (select from document o where o.agent is not null and ${exactly('o', { agent: 'k.key' })})
      and ${there('statement', { game: 'k.game', actor: 'k.key' })} is null
      and ${there('posting', { game: 'k.game', term: 'k.key' })} is null
      and ${there('posting', { game: 'k.game', term: 'k.related' })} is null`,
}
const eraseNames = {
  name: 'learner_erase_names',
  text: `with gone as (delete from agent_name where agent = any ($1) returning name)
    select count(name)::int as count from gone`,
}
export type Erasing = ReturnType<typeof erasing>

/** The data of one agent in games and sandboxes. */
export function learnerDataStore({ run, transaction }: Database) {
  return {
    statements: (keys: LearnerKeys): AsyncGenerator<NamingStatement[]> => naming(run, keys, 'all'),

    /** Names as JSON strings, the oldest first. */
    names: async (keys: LearnerKeys): Promise<string[]> =>
      (await run<{ name: string }>(namesOf, [await knownKeys(run, keys)])).map(({ name }) => name),

    /** Reads four at a time, because contents are large. Leaves out documents that are removed meanwhile. */
    async *documents(keys: LearnerKeys): AsyncGenerator<HeldDocument> {
      const found = await run<{ scope: string; registration: string; key: string }>(documentKeys, [
        await knownKeys(run, keys),
        keys.only ?? null,
      ])
      for (let at = 0; at < found.length; at += documentsAtOnce) {
        const some = found.slice(at, at + documentsAtOnce)
        const columns = [
          some.map(({ scope }) => scope),
          some.map(({ registration }) => registration),
          some.map(({ key }) => key),
        ]
        const rows = await run<HeldDocument & { updated: never }>(documents, [...columns, none])
        for (const { updated, ...document } of rows) yield { ...document, updated: Number(updated) }
      }
    },

    /** State documents of the agent (its key in this game or sandbox), the last written first. */
    states: (game: number, agent: Key): Promise<StateInShort[]> =>
      run<StateInShort & Record<string, unknown>>(states, [agent, game]),
    /** One of them, with the beginning of its content. */
    state: async (
      game: number,
      agent: Key,
      { activityId, registration, id }: Pick<StateInShort, 'activityId' | 'registration' | 'id'>,
    ): Promise<(StateInShort & { content: Buffer }) | undefined> =>
      (
        await run<StateInShort & { content: Buffer } & Record<string, unknown>>(state, [
          agent,
          game,
          activityId,
          registration === '' ? none : registration,
          id,
        ])
      )[0],

    /**
     * Runs `work` in one transaction, which enters each cell in turn. No other transaction writes statements of a cell
     * from then on, and every core forgets which names and activities are known to be stored.
     * @param milliseconds time limit of each of its queries
     * @param preview takes all of it back at the end
     */
    erase: <T>(
      milliseconds: number,
      work: (cells: AsyncIterable<Erasing>, run: Database['run']) => Promise<T>,
      preview: boolean,
    ): Promise<T> =>
      transaction(async (run) => {
        async function* entered(): AsyncGenerator<Erasing> {
          for await (const _ of cellsEntered(run)) {
            await run(lockOrder, [String(milliseconds)])
            await run(countErasure, [])
            yield erasing(run)
          }
        }
        const done = await work(entered(), run)
        if (preview) throw new TakenBack(done)
        return done
      }, milliseconds).catch((error: unknown) => {
        if (error instanceof TakenBack) return error.done as T
        throw error
      }),
  }
}

class TakenBack extends Error {
  readonly done: unknown

  constructor(done: unknown) {
    super('nothing was erased')
    this.done = done
  }
}

/** Returns the learners, each of one game, to whom no statement, document or name belongs. */
export async function unknownOf<One extends { game: number; keys: LearnerKeys }>(
  run: Database['run'],
  learners: readonly One[],
): Promise<One[]> {
  let left = learners
  for await (const _ of cellsEntered(run)) {
    const rows = await run<{ n: number }>(unknown, [
      left.map(({ game }) => game),
      left.map(({ keys }) => keys.key),
      left.map(({ keys }) => keys.relatedKey),
    ])
    left = rows.map(({ n }) => left[n - 1]!)
  }
  return [...left]
}

/** Keys of the agent's names and documents: one for all games, and one for each sandbox. */
async function knownKeys(run: Database['run'], { key }: LearnerKeys): Promise<Key[]> {
  return [key, ...(await run<{ uuid: string }>(sandboxes, [])).map(({ uuid }) => knowledgeKey(key, uuid))]
}

/** Statements that name the agent, game by game and page by page: all, or those with another actor. */
async function* naming(
  run: Database['run'],
  { key, relatedKey, only }: LearnerKeys,
  page: keyof typeof namingPages,
): AsyncGenerator<NamingStatement[]> {
  for (const game of await run<Pick<NamingStatement, 'game' | 'gameId' | 'sandbox'>>(games, [
    key,
    relatedKey,
    only ?? null,
  ])) {
    for (let after = 0; ;) {
      const rows = await run<Pick<NamingStatement, 'voided' | 'acts' | 'body'> & { stored: string }>(
        namingPages[page],
        [key, relatedKey, game.game, after],
      )
      if (rows.length === 0) break
      yield rows.map(({ stored, voided, acts, body }) => ({ ...game, stored: Number(stored), voided, acts, body }))
      after = Number(rows.at(-1)!.stored)
    }
  }
}

/** The steps of one erasure, in its transaction. */
function erasing(run: Database['run']) {
  return {
    /** Statements whose actor is the agent. */
    acting: async ({ key, only }: LearnerKeys): Promise<LearnerPlace[]> =>
      (await run<{ game: number; stored: string }>(acting, [key, only ?? null])).map(({ game, stored }) => ({
        game,
        stored: Number(stored),
      })),
    /** Other statements that name the agent, page by page. */
    naming: (keys: LearnerKeys) => naming(run, keys, 'ofOthers'),
    async remove(
      places: readonly LearnerPlace[],
    ): Promise<{ statements: number; postings: number; attachments: number }> {
      const [row] = await run<{ statements: number; postings: number; attachments: number }>(eraseStatements, [
        places.map(({ game }) => game),
        places.map(({ stored }) => stored),
      ])
      return row!
    },
    /** Replaces body and actor of statements, and the agent's keys in their terms by those of the pseudonym. */
    rewrite: async (
      changed: readonly (LearnerPlace & { body: string; actor: Key })[],
      old: LearnerKeys,
      pseudonym: LearnerKeys,
    ): Promise<void> =>
      void (await run(rewrite, [
        changed.map(({ game }) => game),
        changed.map(({ stored }) => stored),
        changed.map(({ body }) => body),
        changed.map(({ actor }) => actor),
        old.key,
        old.relatedKey,
        pseudonym.key,
        pseudonym.relatedKey,
      ])),
    renamePostings: async (old: LearnerKeys, pseudonym: LearnerKeys): Promise<number> =>
      (
        await run<{ count: number }>(renamePostings, [
          old.key,
          old.relatedKey,
          pseudonym.key,
          pseudonym.relatedKey,
          old.only ?? null,
        ])
      )[0]!.count,
    /** Renames the agent in the daily counts, so that the number of learners stays the same. */
    renameDays: async (old: Key, pseudonym: Key, games: readonly number[]): Promise<void> =>
      void (await run(renameDays, [old, pseudonym, games])),
    /** Learners whose statements these are. */
    actors: (places: readonly LearnerPlace[]): Promise<{ game: number; actor: Key }[]> =>
      run(actorsOf, [places.map(({ game }) => game), places.map(({ stored }) => stored)]),
    /** Takes the learner off all counts of learners, and counts the others, whose statements were changed, anew. */
    async recountLearners(key: Key, others: ReadonlyMap<number, ReadonlySet<Key>>): Promise<void> {
      for (const { game } of await run<{ game: number }>(lockCursors, [[...others.keys()]])) {
        await forgetLearners(run, game, [key], false)
        await forgetLearners(run, game, [...others.get(game)!], true)
      }
    },
    /** Removes the agent from the lists of learners. */
    forgetSeen: (key: Key, games: readonly number[]): Promise<void> => forgetSeen(run, games, key),
    /** Restarts the byte count of these games. */
    recount: async (games: readonly number[]): Promise<void> => void (await run(recount, [games])),
    removeDocuments: async (keys: LearnerKeys): Promise<{ states: number; agentProfiles: number }> =>
      (
        await run<{ states: number; agentProfiles: number }>(eraseDocuments, [
          await knownKeys(run, keys),
          keys.only ?? null,
        ])
      )[0]!,
    /** Names are shared by games: those of an agent whom other games know stay. */
    async removeNames({ only, ...keys }: LearnerKeys): Promise<number> {
      if (only && (await run(games, [keys.key, keys.relatedKey, null])).length > 0) return 0
      return (await run<{ count: number }>(eraseNames, [await knownKeys(run, keys)]))[0]!.count
    },
  }
}
