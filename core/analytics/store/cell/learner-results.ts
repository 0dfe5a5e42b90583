import { classResults, reportResults } from '../../../../shared/limits.ts'
import type { LearnerStatement } from '../../rules/learner-result.ts'
import type { Key } from '../../../records/xapi/identify.ts'
import { sql, type Database } from '../../../process/database/database.ts'
import { along, orderAlong } from '../../../process/database/look.ts'

const range = { after: 'a.after', until: '$4', ascending: false }
const columns = { game: '$1', actor: 'a.actor' }
/** That of the statement if it has one member of this name: to parse all of them would take longer than the rest. */
const timestamp = String.raw`"timestamp"\s*:\s*"([^"\\]{1,40})"`

const newestOf = (name: string, { statements, bytes }: { statements: number; bytes: number }) => sql(name)`
  select a.n::int, s.stored::float8, s.registration, s.timestamp,
      case when bytes <= ${bytes} then s.body end as body,
      bytes > ${bytes} and s.body is not null as cut
    from unnest($2::uuid[], $5::bigint[]) with ordinality a (actor, after, n)
    cross join lateral (
      select f.*, sum(octet_length(f.body)) over (order by f.stored desc) as bytes from (
        select r.stored, r.registration, r.voided, substring(r.body from '${timestamp}') as timestamp,
          case when r.verb = any ($3::uuid[]) or r.body like any (array['%"completion"%', '%"timestamp"%"timestamp"%'])
            then r.body end as body
        from statement r where ${along('r', columns, 'stored', range)}
        ${orderAlong('r', columns, 'stored', range)} limit ${statements}) f) s
    where not s.voided order by a.n, s.stored`
const newest = newestOf('learner_newest', classResults)
const newestOfReport = newestOf('learner_newest_of_report', reportResults)

/** Of one learner: the statements that were stored after a time, microseconds. */
export interface LearnerSince {
  readonly actor: Key
  readonly after: number
}

export interface Wanted {
  /** Stored until this time, microseconds; undefined: all. */
  readonly until?: number
  /** Those that come with their body, by their verbs. */
  readonly verbs: readonly Key[]
  /** More of each learner. */
  readonly forReport?: boolean
}

/** The newest statements of some learners. */
export function learnerResultStore({ run }: Pick<Database, 'run'>) {
  return {
    /** For each learner, those that are not voided, by `stored`. */
    newest: async (
      game: number,
      learners: readonly LearnerSince[],
      { until = Number.MAX_SAFE_INTEGER, verbs, forReport = false }: Wanted,
    ): Promise<LearnerStatement[][]> => {
      const [actors, after] = [learners.map(({ actor }) => actor), learners.map((one) => one.after)]
      const query = forReport ? newestOfReport : newest
      const rows = await run<LearnerStatement & { n: number }>(query, [game, actors, verbs, until, after])
      const found: LearnerStatement[][] = learners.map(() => [])
      for (const { n, ...statement } of rows) found[n - 1]!.push(statement)
      return found
    },
  }
}
