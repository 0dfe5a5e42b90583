import type { SandboxWarning as SandboxWarningMessage, SandboxCounts } from '../../../gen/lrs/v1/launches_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { parse } from '../../records/xapi/json.ts'
import { scalar, sql, type Database } from '../../process/database/database.ts'

/** What may be wrong with a statement that was stored. */
export type SandboxWarning = Fields<SandboxWarningMessage>

/** One request of a game in a sandbox session. */
export interface SandboxEvent {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly request: string
  readonly status: number
  readonly message: string
  readonly path: string
  readonly reason: string
  readonly body: string
  /** Statements that it stored. */
  readonly statements?: number
  /** It was refused, and not only because the document does not exist yet. */
  readonly rejected?: boolean
  readonly warnings?: readonly SandboxWarning[]
}

export interface NumberedEvent extends SandboxEvent {
  readonly number: number
}

/** Totals of the kept events of a session. */
export type EventCounts = Fields<SandboxCounts>

/** Most events kept of a session: the latest. */
const keptEvents = 2_000
/** A new observer gets the latest events, up to this size of their bodies: a session may hold 32 MB. */
const shownEvents = 300
const shownBytes = 64 * 1024
/** Channel of NOTIFY. The payload is the id of a session that has new events. */
export const channel = 'sandbox_event'

// The row of the session is locked until the commit, so numbers become visible in their order: `after` misses none.
const add = sql('sandbox_event_add')`with numbered as (
      update launch set events = events + cardinality($2::float8[]) where uuid = $1 and sandbox
      returning events - cardinality($2::float8[]) as base),
    gone as (
      delete from sandbox_event e using numbered n
      where e.session = $1 and e.number <= n.base + cardinality($2::float8[]) - ${keptEvents}),
    added as (
      insert into sandbox_event
        (session, number, at, request, status, message, path, reason, body, statements, rejected, warnings)
      select $1, n.base + e.n, to_timestamp(e.at / 1000), e.request, e.status, e.message, e.path, e.reason, e.body,
        e.statements, e.rejected, e.warnings
      from numbered n, unnest(
          $2::float8[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[], $10::bool[],
            $11::text[])
        with ordinality e (at, request, status, message, path, reason, body, statements, rejected, warnings, n))
    select pg_notify('${channel}', $1::text) from numbered`
const columns =
  'number::float8, extract(epoch from at)::float8 * 1000 as at, request, status, message, path, reason, body, ' +
  'statements, rejected, warnings'
const read = sql('sandbox_event_read')`
  select ${columns} from sandbox_event e where session = $1 and number > $2 order by e.number limit $3`
// the length of a body is known without reading it
const readLatest = sql('sandbox_event_latest')`select ${columns} from (
      select *, sum(octet_length(body) + octet_length(warnings)) over newest - octet_length(body) as later
      from (select * from sandbox_event where session = $1 and number > $2 order by number desc limit ${shownEvents}) s
      window newest as (order by number desc)) e
    where later < ${shownBytes} order by e.number`
const count = sql('sandbox_event_count')`
  select count(*)::int as requests, coalesce(sum(statements), 0)::int as statements,
      (count(*) filter (where rejected))::int as rejected
    from sandbox_event where session = $1 and number <= $2`

const sweep = sql('sandbox_event_sweep')`delete from sandbox_event where ctid = any (array(
      select ctid from sandbox_event where at < now() - $1 * interval '1 second' limit $2)) returning 1`
const began = sql('sandbox_began')`
  select floor(extract(epoch from created) * 1e6)::float8 as began from launch where uuid = $1`

/** Requests that games sent in sandbox sessions, by session and number. */
export function sandboxEventStore({ run }: Pick<Database, 'run'>) {
  return {
    async add(session: string, events: readonly SandboxEvent[]): Promise<void> {
      const column = <Name extends keyof SandboxEvent>(name: Name) => events.map((event) => event[name])
      await run(add, [
        session,
        column('at'),
        column('request'),
        column('status'),
        column('message'),
        column('path'),
        column('reason'),
        column('body'),
        events.map(({ statements = 0 }) => statements),
        events.map(({ rejected = false }) => rejected),
        events.map(({ warnings = [] }) => (warnings.length === 0 ? '' : JSON.stringify(warnings))),
      ])
    },

    /** Deletes at most `limit` events of that many seconds ago: what games send may name people. Returns how many. */
    sweep: async (seconds: number, limit: number): Promise<number> => (await run(sweep, [seconds, limit])).length,

    after: async (session: string, number: number, limit: number): Promise<NumberedEvent[]> =>
      (await run<EventRow>(read, [session, number, limit])).map(eventOf),

    /** When the session began, in microseconds; undefined: there is no such session any more. */
    began: (session: string) => scalar<number | undefined>(run(began, [session])),

    /** The latest events after a number, and the totals of all kept events up to the last of these. */
    async latest(session: string, number: number): Promise<{ events: NumberedEvent[]; kept: EventCounts }> {
      const events = (await run<EventRow>(readLatest, [session, number])).map(eventOf)
      const [kept] = await run<EventCounts>(count, [session, events.at(-1)?.number ?? number])
      return { events, kept: kept! }
    },
  }
}

interface EventRow extends Omit<NumberedEvent, 'warnings'>, Record<string, unknown> {
  readonly warnings: string
}

const eventOf = ({ warnings, ...event }: EventRow): NumberedEvent => ({
  ...event,
  warnings: warnings === '' ? [] : (parse(warnings) as SandboxWarning[]),
})

export type SandboxEventStore = ReturnType<typeof sandboxEventStore>
