import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import { isUuid } from '../../records/xapi/values.ts'

/** Sends a grade again, with a line item that is looked for again. @throws Refusal */
export async function sendGrade(
  { store }: Pick<Core, 'store'>,
  { studio: school }: Developer,
  { classId, gradeId }: { readonly classId: string; readonly gradeId: string },
): Promise<void> {
  if (!isUuid(gradeId) || !(await store.ltiGrades.again(school, classId, gradeId)))
    throw new Refusal('not-found', 'The class has no such grade with a score.')
}
