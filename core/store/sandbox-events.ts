import type { Database } from './database.ts'

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
}

export interface NumberedEvent extends SandboxEvent {
  readonly number: number
}

/** Events that are kept of one session: the latest ones. */
const keptEvents = 2_000
/** Told with the session's id when events were added. */
export const channel = 'sandbox_event'

// The row of the session is locked until the commit, so numbers become visible in their order: `after` misses none.
const add = {
  name: 'sandbox_event_add',
  text: `with numbered as (
      update launch set events = events + cardinality($2::float8[]) where uuid = $1 and sandbox returning events - cardinality($2::float8[]) as base),
    gone as (
      delete from sandbox_event e using numbered n where e.session = $1 and e.number <= n.base + cardinality($2::float8[]) - ${keptEvents}),
    added as (
      insert into sandbox_event (session, number, at, request, status, message, path, reason, body)
      select $1, n.base + e.n, to_timestamp(e.at / 1000), e.request, e.status, e.message, e.path, e.reason, e.body
      from numbered n, unnest($2::float8[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[])
        with ordinality e (at, request, status, message, path, reason, body, n))
    select pg_notify('${channel}', $1::text) from numbered`,
}
const read = {
  name: 'sandbox_event_read',
  text: `select number::float8, extract(epoch from at)::float8 * 1000 as at, request, status, message, path, reason, body
    from sandbox_event e where session = $1 and number > $2 order by e.number limit $3`,
}

/** What the games of sandbox sessions sent, by session and number. */
export function sandboxEventStore({ run }: Pick<Database, 'run'>) {
  return {
    async add(session: string, events: readonly SandboxEvent[]): Promise<void> {
      const column = <Name extends keyof SandboxEvent>(name: Name) => events.map((event) => event[name])
      await run(add, [session, column('at'), column('request'), column('status'), column('message'), column('path'), column('reason'), column('body')])
    },

    after: (session: string, number: number, limit: number): Promise<NumberedEvent[]> =>
      run<NumberedEvent & Record<string, unknown>>(read, [session, number, limit]),
  }
}

export type SandboxEventStore = ReturnType<typeof sandboxEventStore>
