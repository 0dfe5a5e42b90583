import type { TakeLtiMembersResponse, TakeLtiMembersResponse_Outcome } from '../../../gen/lrs/v1/lti_pb.js'
import { lti as limits, rosters, schools } from '../../../shared/limits.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Core } from '../../context.ts'
import { planOf } from '../../games/command/rosters.ts'
import { changesOf } from '../../games/rules/roster-changes.ts'
import { faultList } from '../../games/rules/roster-faults.ts'
import type { Fields } from '../../process/methods/answer.ts'
import type { NameIn } from '../../process/methods/enums.ts'
import { Refusal } from '../../process/refusal.ts'
import { nicknames } from '../../process/rules/nicknames.ts'
import { objectIn } from '../access/lti-tokens.ts'
import { learnersIn, membersScope, membersType, nextIn, rosterOf, stateOf, type Learner } from '../rules/lti-members.ts'
import type { Course } from '../store/lti-members.ts'
import { signingKey } from './lti-platforms.ts'

type Needs = Pick<Core, 'store' | 'sealer' | 'ltiTokens' | 'ltiTakes' | 'deliveries'>
/** What became of the pupils, and why. */
export interface Taken extends Partial<Omit<Fields<TakeLtiMembersResponse>, 'outcome'>> {
  readonly outcome: NameIn<typeof TakeLtiMembersResponse_Outcome>
}

/** The course that a class is; all empty: it is none, or its platform does not offer its learners. */
export async function ltiCourse(
  { store }: Pick<Core, 'store'>,
  { studio }: Developer,
  of: { readonly classId: string },
) {
  const course = await store.ltiMembers.course(studio, of.classId)
  return { platform: course?.name ?? '', offersMembers: (course?.membersUrl ?? '') !== '' }
}

/** Takes the learners of a course as the pupils of its class. @throws Refusal */
export async function takeLtiMembers(
  core: Needs,
  { studio }: Developer,
  { classId, leavers }: { readonly classId: string; readonly leavers: number },
): Promise<Taken> {
  const course = await core.store.ltiMembers.course(studio, classId)
  if (!course || course.membersUrl === '') throw noCourse()
  await core.store.portalLimits.require('ltiMembers', `school ${studio}`)
  return take(core, course, leavers)
}

const noCourse = () => new Refusal('not-found', 'The class is no course of a platform that offers its learners.')

/** The same at the launch of a teacher, once an hour at most. Nobody waits for it. */
export async function takeAtLaunch(
  { log, ...core }: Needs & Pick<Core, 'log'>,
  school: number,
  classId: string,
): Promise<void> {
  try {
    if (!(await core.store.ltiMembers.ask(classId))) return
    const course = await core.store.ltiMembers.course(school, classId)
    const { outcome, why } = course ? await take(core, course, 0) : { outcome: 'no class', why: '' }
    if (outcome !== 'taken') log.info({ class: classId, outcome, why }, 'the learners of a course were not taken')
  } catch (error) {
    log.warn({ class: classId, error }, 'the learners of a course were not taken')
  }
}

async function take(core: Needs, course: Course, leavers: number): Promise<Taken> {
  const release = core.ltiTakes.take(course.school)
  const learners = await learnersOf(core, course).finally(release)
  if (typeof learners === 'string') return { outcome: 'no-answer', why: learners }
  if (learners.length === 0) return { outcome: 'nobody' }
  if (learners.length > schools.ofClass) return { outcome: 'full', learners: learners.length }
  const subjects = learners.map(({ subject }) => subject)
  const taken = await core.store.ltiMembers.change<Taken>(course, subjects, (of, pupils) => {
    const state = stateOf(of, pupils)
    const names = pupils.map(({ name }) => name)
    const faults = faultList(1)
    const roster = rosterOf(learners, state, (count) => nicknames(count, names))
    const changes = changesOf(roster, state, schools, faults)
    const sums = { learners: learners.length, leaves: changes.leaves.length, before: changes.before }
    if (faults.count > 0) return { answer: { ...sums, outcome: 'full' } }
    if (sums.leaves > rosters.leavers * sums.before && leavers !== sums.leaves)
      return { answer: { ...sums, outcome: 'many-leave' } }
    return { plan: planOf(changes, state), answer: { ...sums, joins: changes.joins.length, outcome: 'taken' } }
  })
  if (!taken) throw noCourse()
  return taken
}

/** All learners of a course, each once; or why there are none. */
async function learnersOf(
  core: Needs,
  { membersUrl, context, school, ...platform }: Course,
): Promise<Learner[] | string> {
  const { guardedFetch } = core.deliveries
  const access = { platform, scopes: [membersScope], key: () => signingKey(core, school), guardedFetch }
  const first = new URL(membersUrl)
  if (!first.searchParams.has('limit')) first.searchParams.set('limit', `${limits.membersOfPage}`)
  const found = new Map<string, Learner>()
  const end = Date.now() + limits.membersSeconds * 1000
  let url = first.href
  try {
    for (let pages = 0; url !== ''; pages++) {
      if (pages === limits.membersPages) return `${first.host} sends more than ${limits.membersPages} pages`
      if (Date.now() > end) return `${first.host} needs more than ${limits.membersSeconds} seconds`
      const { status, headers, body } = await core.ltiTokens.call(access, { url, headers: { accept: membersType } })
      if (status !== 200) return `${first.host} answers with ${status}`
      const page = learnersIn(objectIn(body), context)
      const then = nextIn(headers['link'], url)
      if (!page) return `${first.host} sends no list of the members of this course`
      if (then === 'other-origin') return `${first.host} sends a next page at another address`
      for (const one of page) found.set(one.subject, one)
      // what the class has no room for is not read further
      if (found.size > schools.ofClass) break
      url = then.next
    }
  } catch (error) {
    if (error instanceof Refusal) return (error as { told?: string }).told ?? error.message
    throw error
  }
  return [...found.values()]
}
