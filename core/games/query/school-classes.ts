import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import { found } from '../access/school.ts'
import type { Lesson } from '../store/lessons.ts'
import type { Pupil, SchoolClass } from '../store/school-classes.ts'

/** A class with its pupils by name. @throws Refusal */
export async function getSchoolClass(
  { schoolClasses }: Store,
  who: Developer,
  classId: string,
): Promise<{ of: SchoolClass; pupils: Pupil[] }> {
  const of = found(await schoolClasses.get(who.studio, classId))
  return { of, pupils: seenBy(who, await schoolClasses.pupils(classId)) }
}

/** Lessons of a class, newest first. @throws Refusal */
export async function listLessons(
  { schoolClasses, lessons }: Store,
  who: Developer,
  classId: string,
): Promise<Lesson[]> {
  found(await schoolClasses.get(who.studio, classId))
  return (await lessons.list(who.studio, classId)).map((lesson) => withoutCode(who, lesson))
}

/** Observers let nobody in, so they get no code. */
export const withoutCode = <Of extends Lesson>({ role }: Pick<Developer, 'role'>, lesson: Of): Of =>
  role === 'observer' ? { ...lesson, code: '' } : lesson

/** Pupils as a member of the school sees them, sorted by the name that it sees: observers see aliases. */
export const seenBy = <One extends { readonly name: string; readonly alias: string }>(
  { role }: Pick<Developer, 'role'>,
  pupils: readonly One[],
): One[] =>
  pupils
    .map((pupil) => (role === 'observer' ? { ...pupil, name: pupil.alias } : pupil))
    .toSorted((one, other) => byName.compare(one.name, other.name))

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
