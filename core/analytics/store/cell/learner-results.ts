import { classResults } from '../../../../shared/limits.ts'
import type { LearnerStatement } from '../../rules/learner-result.ts'
import type { Key } from '../../../records/xapi/identify.ts'
import type { Database } from '../../../process/database/database.ts'
import { along, everything, orderAlong } from '../../../process/database/look.ts'

const newest = { ...everything, ascending: false }
const columns = { game: '$1', actor: 'a.actor' }
/** That of the statement if it has one member of this name: to parse all of them would take longer than the rest. */
const timestamp = String.raw`"timestamp"\s*:\s*"([^"\\]{1,40})"`

const newestOf = {
  name: 'learner_newest',
  text: `select a.n::int, s.stored::float8, s.registration, s.timestamp,
      case when bytes <= ${classResults.bytes} then s.body end as body,
      bytes > ${classResults.bytes} and s.body is not null as cut
    from unnest($2::uuid[]) with ordinality a (actor, n)
    cross join lateral (
      select f.*, sum(octet_length(f.body)) over (order by f.stored desc) as bytes from (
        select r.stored, r.registration, r.voided, substring(r.body from '${timestamp}') as timestamp,
          case when r.verb = any ($3::uuid[]) or r.body like any (array['%"completion"%', '%"timestamp"%"timestamp"%'])
            then r.body end as body
        from statement r where ${along('r', columns, 'stored', newest)}
        ${orderAlong('r', columns, 'stored', newest)} limit ${classResults.statements}) f) s
    where not s.voided order by a.n, s.stored`,
}

/** The newest statements of some learners. */
export function learnerResultStore({ run }: Pick<Database, 'run'>) {
  return {
    /** For each actor, those that are not voided, by `stored`. @param verbs whose statements come with their body */
    newest: async (game: number, actors: readonly Key[], verbs: readonly Key[]): Promise<LearnerStatement[][]> => {
      const rows = await run<LearnerStatement & { n: number }>(newestOf, [game, actors, verbs])
      const found: LearnerStatement[][] = actors.map(() => [])
      for (const { n, ...statement } of rows) found[n - 1]!.push(statement)
      return found
    },
  }
}
