import { lti as limits } from '../../../shared/limits.ts'
import { did, done, first, seconds, sql, type Database } from '../../process/database/database.ts'
import { leases, takenAway, type Leased } from '../../records/store/leases.ts'
import type { Grading } from '../rules/lti-message.ts'

/** The grade of a pupil for a link, which this core works on. */
export interface LeasedGrade extends Leased {
  readonly school: number
  readonly pupil: string
  readonly rule: string
  readonly problem: string
  readonly failures: number
  readonly link: string
  /** As the platform names the link. */
  readonly resourceLink: string
  readonly title: string
  readonly level: string
  readonly grading: Grading
  readonly lineItem: string
  readonly lineItems: string
  readonly scopes: readonly string[]
  readonly platformId: string
  readonly clientId: string
  readonly tokenUrl: string
  /** The person, as the platform names it. */
  readonly subject: string
  readonly owner: string
  readonly host: string
}

/** A session of a pupil that counts for a grade. */
export interface GradedAttempt {
  readonly registration: string
  readonly learnerId: string
  readonly game: number
  readonly gameId: string
  readonly start: number | null
  /** Microseconds. */
  readonly began: number
  readonly through: number
  readonly score: number | null
}

/** A grade for the page of a class. Times are seconds since 1970; 0: not yet. */
export interface KeptGrade {
  readonly gradeId: string
  readonly pupilName: string
  readonly link: string
  readonly wanted: number | null
  readonly sent: number | null
  readonly sentAt: number
  readonly refused: boolean
  readonly problem: string
  readonly lineItem: string
  readonly lineItems: string
  readonly scopes: readonly string[]
}

const leased = leases('lti_grade', { key: 'uuid' })
const { isMine } = leased
const owner = `'school ' || p.school`
const host = `'host ' || split_part(p.token_url, '/', 3)`
const ofPlatform = `join lti_link k on k.uuid = t.link join lti_context c on c.uuid = k.context
  join lti_platform p on p.uuid = c.platform`
const endpoints = `coalesce(nullif(k.line_item, ''), k.made_item) as "lineItem", k.line_items as "lineItems", k.scopes`

const lease = sql('lti_grade_lease')`with taken as (${leased.take({
  joins: `${ofPlatform} join studio s on s.id = p.school`,
  due: `t.next_attempt <= now() and t.next_attempt < 'infinity' and s.suspended is null and s.ended is null
    and not (array[${host}, ${owner}] && $2::text[])`,
  order: 't.next_attempt',
})} returning *)
  select t.uuid as id, t.attempts, t.pupil, t.rule, t.problem, t.failures, k.uuid as link, k.link as "resourceLink",
      k.title, k.level, k.grading, ${endpoints}, p.uuid as "platformId", p.client_id as "clientId",
      p.token_url as "tokenUrl", p.school, coalesce(i.subject, '') as subject, ${owner} as owner, ${host} as host
    from taken t ${ofPlatform}
    left join lateral (select subject from pupil_identity where pupil = t.pupil and source = p.issuer limit 1) i on true`
const attempts = sql('lti_grade_attempts')`select * from (
    select a.registration, a.learner as "learnerId", g.id as game, g.uuid as "gameId", g.start::float8 as start,
        floor(extract(epoch from a.started) * 1e6)::float8 as began, a.through::float8 as through, a.score
      from lti_attempt a join learner n on n.uuid = a.learner join game g on g.id = n.game
      where a.link = $1 and a.pupil = $2 order by a.started desc limit ${limits.gradedAttempts}) newest order by began`
const count = sql('lti_attempt_score')`update lti_attempt set score = $2, through = $3 where registration = $1`
const nextStamp = `greatest(clock_timestamp(), stamp + interval '1 microsecond')`
// a score that was refused is not sent again; another one is
const want = sql('lti_grade_want')`update lti_grade set wanted = $3, rule = $4,
      news = case when $5 then now() else news end,
      stamp = case when wanted is distinct from $3 then ${nextStamp} else stamp end,
      refused = refused and wanted is not distinct from $3
    where ${isMine} returning sent, refused,
      to_char(stamp at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as stamp`
// the longer nothing has come, the rarer are the looks
const nextLook = `case when news < now() - interval '${limits.gradeDays} days' then 'infinity' else
  now() + greatest(interval '${limits.gradeSeconds} seconds', (now() - news) / 10) end`
const rest = sql('lti_grade_rest')`update lti_grade set leased = null, next_attempt = ${nextLook} where ${isMine}`
const sent = sql('lti_grade_sent')`update lti_grade set sent = $3, sent_at = now(), problem = '', failures = 0,
    leased = null, next_attempt = ${nextLook} where ${isMine}`
const refuse = sql('lti_grade_refuse')`update lti_grade set refused = true, problem = $3, failures = 0,
    leased = null, next_attempt = ${nextLook} where ${isMine}`
const putOff = sql('lti_grade_put_off')`update lti_grade set problem = $3, failures = $4, leased = null,
    stamp = case when $6 then ${nextStamp} else stamp end, next_attempt = now() + make_interval(secs => $5)
  where ${isMine}`
const startMaking = sql(
  'lti_link_making',
)`update lti_link set making = now() + interval '${limits.makingSeconds} seconds'
  where uuid = $1 and made_item = '' and coalesce(making, '-infinity') < now() returning 1`
const made = sql('lti_link_made')`update lti_link set made_item = $2, making = null where uuid = $1`

const list = sql('lti_grade_list')`
  select t.uuid as "gradeId", n.name as "pupilName", k.title as link, t.wanted, t.sent, ${seconds('t.sent_at')} as "sentAt",
      t.refused, t.problem, ${endpoints}
    from school_class o join lti_context c on c.class = o.uuid join lti_link k on k.context = c.uuid
    join lti_grade t on t.link = k.uuid join pupil n on n.uuid = t.pupil
    where o.school = $1 and o.uuid = $2 order by k.title, k.uuid, n.name, t.uuid limit ${limits.listedGrades}`
const again = sql('lti_grade_again')`with again as (
    update lti_grade set sent = null, refused = false, problem = '', failures = 0, stamp = ${nextStamp},
        next_attempt = now(), ${takenAway}
      where uuid = $3 and wanted is not null and link in (select k.uuid from lti_link k
        join lti_context c on c.uuid = k.context join school_class o on o.uuid = c.class
        where o.uuid = $2 and o.school = $1)
      returning link)
  update lti_link set made_item = '' where uuid in (select link from again) returning 1`

/** Grades of pupils on their way to learning platforms. One core at a time works on a grade. */
export const ltiGradeStore = ({ run }: Pick<Database, 'run'>) => ({
  /** Takes one whose attempts are to be looked at. */
  lease: (forSeconds: number, busy: readonly string[]) => first(run<LeasedGrade>(lease, [forSeconds, busy])),
  ...leased.on(run),
  /** Oldest first. */
  attempts: ({ link, pupil }: LeasedGrade) => run<GradedAttempt>(attempts, [link, pupil]),
  count: (registration: string, score: number | null, through: number) =>
    done(run(count, [registration, score, through])),
  /** Writes down the score that the platform is to have; undefined: another core has it. */
  want: ({ id, attempts }: Leased, score: number | undefined, rule: string, news: boolean) =>
    first(
      run<{ sent: number | null; refused: boolean; stamp: string }>(want, [id, attempts, score ?? null, rule, news]),
    ),
  /** There is nothing to send. */
  rest: ({ id, attempts }: Leased) => done(run(rest, [id, attempts])),
  sent: ({ id, attempts }: Leased, score: number) => done(run(sent, [id, attempts, score])),
  refuse: ({ id, attempts }: Leased, problem: string) => done(run(refuse, [id, attempts, problem])),
  /** @param newer the platform has a score of this time or a later one */
  putOff: (
    { id, attempts }: Leased,
    how: { readonly problem: string; readonly failures: number; readonly pause: number; readonly newer?: boolean },
  ) => done(run(putOff, [id, attempts, how.problem, how.failures, how.pause, how.newer ?? false])),
  /** False: another core looks for the line item of the link, or has just found it. */
  startMaking: (link: string) => did(run(startMaking, [link])),
  made: (link: string, address: string) => done(run(made, [link, address])),

  list: (school: number, classId: string) => run<KeptGrade>(list, [school, classId]),
  /** False: the class has no such grade with a score. */
  again: (school: number, classId: string, gradeId: string) => did(run(again, [school, classId, gradeId])),
})
