import { lti as limits } from '../../../shared/limits.ts'
import { applyRoster, type KeptPupil, type RosterPlan } from '../../games/store/rosters.ts'
import { lockSchool } from '../../games/store/school-classes.ts'
import { did, first, sql, type Database } from '../../process/database/database.ts'

/** A course whose learners are the pupils of a class. */
export interface Course {
  readonly school: number
  readonly class: string
  readonly context: string
  readonly membersUrl: string
  /** What the school calls the platform. */
  readonly name: string
  readonly platformId: string
  readonly issuer: string
  readonly clientId: string
  readonly tokenUrl: string
}

const course = sql('lti_course')`select p.school, c.class, c.context, c.members_url as "membersUrl", p.name,
    p.uuid as "platformId", p.issuer, p.client_id as "clientId", p.token_url as "tokenUrl"
  from lti_context c join lti_platform p on p.uuid = c.platform where c.class = $1 and p.school = $2 limit 1`
const ask = sql('lti_course_ask')`update lti_context set members_asked = now() where class = $1 and members_url <> ''
    and (members_asked is null or members_asked < now() - interval '${limits.membersMinutes} minutes') returning 1`
const lockClass = sql('lti_course_lock')`select uuid as id, name from school_class where uuid = $1 for update`
const pupils = sql('lti_course_pupils')`select p.uuid as id, p.class, p.name, p.alias, i.subject from pupil p
    left join pupil_identity i on i.pupil = p.uuid and i.school = $2 and i.source = $3
    where p.class = $1 order by p.uuid`
const gone = sql('lti_course_gone')`select p.uuid as id, p.class, p.name, p.alias, i.subject from pupil_identity i
    join pupil p on p.uuid = i.pupil
    where i.school = $1 and i.source = $2 and i.subject = any ($3) and p.class is null order by p.uuid`

/** Learners of courses as pupils of classes. */
export const ltiMemberStore = ({ run, transaction }: Database) => ({
  /** Undefined: the class is no course, or that of another school. */
  course: (school: number, classId: string) => first(run<Course>(course, [classId, school])),
  /** Whether the pupils of a class may be asked for at a launch now; then not again for a while. */
  ask: (classId: string) => did(run(ask, [classId])),

  /** Changes a class as its course says, all at once; undefined: it was removed. @param planOf the plan, or what to answer without a change */
  change: <Other extends object>(
    { school, issuer, class: classId }: Course,
    subjects: readonly string[],
    planOf: (
      of: { readonly id: string; readonly name: string },
      pupils: readonly KeptPupil[],
    ) => { readonly plan: RosterPlan; readonly answer: Other } | { readonly answer: Other },
  ): Promise<Other | undefined> =>
    transaction(async (run) => {
      await run(lockSchool, [school])
      const of = await first(run<{ id: string; name: string }>(lockClass, [classId]))
      if (!of) return undefined
      const there = await run<KeptPupil>(pupils, [classId, school, issuer])
      const planned = planOf(of, [...there, ...(await run<KeptPupil>(gone, [school, issuer, [...subjects]]))])
      if ('plan' in planned) await applyRoster(run, { school, source: issuer }, planned.plan)
      return planned.answer
    }),
})
