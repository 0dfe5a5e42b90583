import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Core } from '../../context.ts'
import { getSchoolClass } from '../../games/query/school-classes.ts'
import { isTaken } from '../rules/lti-grade.ts'
import type { KeptGrade } from '../store/lti-grades.ts'

/** What has become of a grade. */
const stateOf = ({ wanted, sent, refused, ...of }: KeptGrade) => {
  if (refused) return 'refused'
  if (wanted === null) return 'none'
  if (wanted === sent) return 'sent'
  return isTaken(of) ? 'waits' : 'not-taken'
}

/** The grades of a class in learning platforms. @throws Refusal */
export async function listGrades({ store }: Pick<Core, 'store'>, who: Developer, classId: string) {
  await getSchoolClass(store, who, classId)
  return (await store.ltiGrades.list(who.studio, classId)).map((one) => ({ ...one, state: stateOf(one) }) as const)
}
