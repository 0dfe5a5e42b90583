import type { LearnerDocument } from '../../../../gen/lrs/v1/admin_pb.js'
import type { Fields } from '../../../process/methods/answer.ts'
import { learnerPages } from '../../../../shared/limits.ts'
import type { Key } from '../../xapi/identify.ts'
import { first, sql, type Database, type Run } from '../../../process/database/database.ts'
import { exactly } from '../../../process/database/look.ts'
import { unlessReadOnly } from '../../../process/database/store-failure.ts'
import type { Counting } from './counting.ts'
import { cellsEntered, cellNumbers, enterCell } from './enter.ts'
import { erasing, type Erasing } from './erase-learner-data.ts'
import { asked, knownKeys, naming, there, type LearnerKeys, type NamingStatement } from './named-learners.ts'
import { tellAll } from './tell.ts'

export type HeldDocument = Fields<LearnerDocument>

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

const documentsAtOnce = 4
const none = '0'.repeat(32)

const namesOf = sql('learner_names')`
  select name from agent_name where agent = any ($1) and name is not null order by stored`
const documentKeys = sql('learner_document_keys')`
  select d.scope, d.registration, d.id_key as key from unnest($1::uuid[]) a (agent)
    cross join lateral (
      select d.* from document d where d.agent is not null and ${exactly('d', { agent: 'a.agent' })} offset 0) d
    where ${asked('d.game', 2)} order by 1, 2, 3`
const documents = sql('learner_documents')`
  select case when d.activity is null then 'agent-profile' else 'state' end as kind,
      coalesce((select g.uuid::text from tenant g where g.game = d.game and d.activity is not null), '') as "gameId",
      coalesce(d.activity, '') as "activityId",
      case when d.registration = $4::uuid then '' else d.registration::text end as registration,
      d.id, d.content_type as "contentType", d.content, d.updated
    from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality a (scope, registration, key, n)
    cross join lateral (
      select d.* from document d
      where ${exactly('d', { scope: 'a.scope', registration: 'a.registration', id_key: 'a.key' })} limit 1) d
    order by a.n`
const stateColumns = `d.activity as "activityId",
  case when d.registration = '${none}' then '' else d.registration::text end as registration, d.id,
  d.content_type as "contentType", octet_length(d.content)::float8 as size, d.updated::float8 as updated`
const states = sql('learner_states')`select ${stateColumns} from (
      select * from document d where d.agent is not null and ${exactly('d', { agent: '$1' })} limit 10000) d
    where d.game = $2 and d.activity is not null order by d.updated desc limit ${learnerPages.documents}`
const state = sql('learner_state')`
  select ${stateColumns}, substring(d.content for ${learnerPages.content}) as content from (
      select * from document d where d.agent is not null and ${exactly('d', { agent: '$1' })} limit 10000) d
    where d.game = $2 and d.activity = $3 and d.registration = $4 and d.id = $5 limit 1`
const unknown = sql('learner_unknown')`
  select n::int from unnest($1::int[], $2::uuid[], $3::uuid[]) with ordinality k (game, key, related, n)
    where not exists (select from agent_name o where o.agent = k.key)
      and not exists (select from document o where o.agent is not null and ${exactly('o', { agent: 'k.key' })})
      and ${there('statement', { game: 'k.game', actor: 'k.key' })} is null
      and ${there('posting', { game: 'k.game', term: 'k.key' })} is null
      and ${there('posting', { game: 'k.game', term: 'k.related' })} is null`
/** The data of one agent in games and sandboxes. */
export function learnerDataStore({ run, transaction }: Database, counting: Counting) {
  return {
    statements: (keys: LearnerKeys): AsyncGenerator<NamingStatement[]> => naming(run, keys),

    /** Names as JSON strings, the oldest first. */
    names: async (keys: LearnerKeys): Promise<string[]> => {
      await run(tellAll, []).catch(unlessReadOnly)
      return (await run<{ name: string }>(namesOf, [await knownKeys(run, keys)])).map(({ name }) => name)
    },

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
    states: (game: number, agent: Key) => run<StateInShort>(states, [agent, game]),
    /** One of them, with the beginning of its content. */
    state: (
      game: number,
      agent: Key,
      { activityId, registration, id }: Pick<StateInShort, 'activityId' | 'registration' | 'id'>,
    ): Promise<(StateInShort & { content: Buffer }) | undefined> =>
      first(
        run<StateInShort & { content: Buffer }>(state, [
          agent,
          game,
          activityId,
          registration === '' ? none : registration,
          id,
        ]),
      ),

    /** Numbers of the cells on this server. */
    cells: (): Promise<number[]> => cellNumbers(run),

    /**
     * Runs one step of an erasure in a transaction of its own.
     * @param preview takes it back at the end; nobody waits for it
     */
    eraseStep: <T>(cell: number, preview: boolean, work: (cell: Erasing) => Promise<T>): Promise<T> =>
      transaction(async (run) => {
        await enterCell(run, cell)
        const done = await work(erasing(run, counting, preview))
        if (preview) throw new TakenBack(done)
        return done
      }).catch((error: unknown) => {
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
  run: Run,
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
