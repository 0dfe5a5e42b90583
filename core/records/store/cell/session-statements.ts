import { sessionResults } from '../../../../shared/limits.ts'
import type { SessionStatement } from '../../../analytics/rules/session-result.ts'
import type { Key } from '../../xapi/identify.ts'
import { sql, type Database } from '../../../process/database/database.ts'
import { along, everything, orderAlong } from '../../../process/database/look.ts'

const since = { after: '$3', until: everything.until, ascending: false }

/** The learner's newest statements since the session began, and of these the session's: others may know its registration. */
const newest = (name: string, { statements, bytes }: { statements: number; bytes: number }) => sql(name)`
  select stored::float8, ((extract(epoch from clock_timestamp()) * 1e6 - stored) / 1e6)::float8 as ago, body from (
      select r.*, sum(octet_length(body)) over (order by stored desc) as bytes from (
        select * from statement r where ${along('r', { game: '$1', actor: '$2' }, 'stored', since)}
        ${orderAlong('r', { game: '$1', actor: '$2' }, 'stored', since)} limit ${statements}) r) s
    where registration = $4 and not voided and bytes - octet_length(body) < ${bytes} order by stored`
const all = newest('session_statements', sessionResults)
const latest = newest('session_statements_latest', sessionResults.brief)

/** What a learner did in one session. */
export function sessionStatementStore({ run }: Pick<Database, 'run'>) {
  return {
    /** The oldest first. @param began microseconds @param brief of the latest ones only */
    ofSession: (
      { game, actor, began, registration }: { game: number; actor: Key; began: number; registration: string },
      brief: boolean,
    ) => run<SessionStatement>(brief ? latest : all, [game, actor, began, registration]),
  }
}
