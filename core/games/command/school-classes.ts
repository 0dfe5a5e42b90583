import { schools as limits } from '../../../shared/limits.ts'
import { say } from '../../../shared/say.ts'
import { hashInvitation, newInvitationCode } from '../../accounts/access/invitation-codes.ts'
import { askFor } from '../../accounts/command/erasure-requests.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Core } from '../../context.ts'
import type { Run } from '../../process/database/database.ts'
import { Problem } from '../../process/problem.ts'
import { Refusal } from '../../process/refusal.ts'
import { nicknames, toldApart } from '../../process/rules/nicknames.ts'
import { gameTexts, learnerName, line } from '../../process/rules/text.ts'
import { isUuid } from '../../records/xapi/values.ts'
import { found } from '../access/school.ts'
import type { NewPupil, Pupil } from '../store/school-classes.ts'

type Stored = Pick<Core, 'store'>
export type Asking = Pick<Core, 'store' | 'notices'>
type OfClass = { readonly classId: string }
type OfPupil = OfClass & { readonly pupilId: string }
type Erasing = { readonly erase: boolean }
type Named = { readonly pupilNames: readonly string[] }

/** Makes a class with its pupils. @throws Problem, Refusal */
export async function createSchoolClass(
  { store }: Stored,
  { studio: school }: Developer,
  { name, pupilNames }: Named & { readonly name: string },
): Promise<{ classId: string }> {
  const made = await store.schoolClasses.add(school, line(name, 'name', gameTexts.name), pupilsOf(pupilNames))
  if (made === 'full') throw fullClass()
  return roomFor(made)
}

/** Moves a class from a studio to the school. @throws Problem, Refusal */
export async function takeOverClass(
  { store }: Stored,
  { studio: school }: Developer,
  { code }: { readonly code: string },
): Promise<{ classId: string }> {
  const taken = await store.schoolClasses.takeOver(
    school,
    hashInvitation(code),
    (names) => pupilsOf(names)([]),
    (count) => nicknames(count, []),
  )
  if (taken === undefined) throw new Problem('class_code', 'is unknown or too old: ask the studio for a new one')
  return roomFor(taken)
}

/** @throws Refusal */
function roomFor<Made extends object>(made: Made | 'classes-full'): Made {
  if (made !== 'classes-full') return made
  throw new Refusal(
    'quota-exceeded',
    say`The school has ${limits.classes} classes, as many as it may have: remove some of them first.`,
  )
}

/** @throws Problem, Refusal */
export async function addPupils(
  { store }: Stored,
  { studio: school }: Developer,
  { classId, pupilNames }: OfClass & Named,
): Promise<void> {
  const wanted = pupilsOf(pupilNames)
  if (pupilNames.every((name) => name.trim() === ''))
    throw new Problem('pupil_names', 'must not be empty: whom do you want to add?')
  const outcome = found(await store.schoolClasses.extend(school, classId, wanted))
  if (outcome === 'full') throw fullClass()
}

/** @throws Problem, Refusal */
export async function changePupil(
  { store }: Stored,
  { studio: school }: Developer,
  { classId, pupilId, name, forgetPicture }: OfPupil & { readonly name: string; readonly forgetPicture: boolean },
): Promise<void> {
  const wanted = name.trim() === '' ? undefined : line(name, 'name', learnerName)
  const changed = (pupil: Pupil, all: readonly Pupil[]) =>
    wanted === undefined ? pupil.name : toldApart([wanted], namesOf(all.filter((one) => one !== pupil)))[0]!
  found((await store.schoolClasses.change(school, classId, pupilId, { forgetPicture, changed })) || undefined)
}

/** New codes for printed cards, in the order asked for, without pupils that the class does not have. @throws Refusal */
export async function renewCards(
  { store }: Stored,
  { studio: school }: Developer,
  { classId, pupilIds }: OfClass & { readonly pupilIds: readonly string[] },
): Promise<{ cards: { pupilId: string; name: string; code: string }[] }> {
  const codes = new Map(pupilIds.filter(isUuid).map((id) => [id.toLowerCase(), newInvitationCode()]))
  const hashes = Array.from(codes, ([id, code]) => ({ id, hash: hashInvitation(code) }))
  const names = new Map(
    found(await store.schoolClasses.renewCards(school, classId, hashes)).map(({ id, name }) => [id, name]),
  )
  return {
    cards: Array.from(codes).flatMap(([pupilId, code]) => {
      const name = names.get(pupilId)
      return name === undefined ? [] : { pupilId, name, code }
    }),
  }
}

/** @throws Refusal */
export async function removePupil(core: Asking, { studio: school }: Developer, of: OfPupil & Erasing): Promise<void> {
  found(
    (await core.store.schoolClasses.removePupil(school, of.classId, of.pupilId, leave(core, school, of))) || undefined,
  )
}

/** @throws Refusal */
export async function removeSchoolClass(
  core: Asking,
  { studio: school }: Developer,
  of: OfClass & Erasing,
): Promise<void> {
  found(await core.store.schoolClasses.remove(school, of.classId, leave(core, school, of)))
}

/** Asks for the erasure of a learner, as the learner itself could: its studio decides, or it is erased in time. */
export const leave =
  (core: Asking, school: number, { erase }: Erasing) =>
  async (run: Run, learner: string) =>
    erase && askFor(core, run, learner, school)

const namesOf = (pupils: readonly Pupil[]) => pupils.map(({ name }) => name)

/** The pupils to add to those that a class has: each name differs, and no alias says whose it is. */
function pupilsOf(given: readonly string[]): (there: readonly Pupil[]) => NewPupil[] {
  const names = given.filter((name) => name.trim() !== '').map((name) => line(name, 'pupil_names', learnerName))
  if (names.length > limits.ofClass) throw fullClass()
  return (there) => {
    const aliases = nicknames(
      names.length,
      there.map(({ alias }) => alias),
    )
    return toldApart(names, namesOf(there)).map((name, n) => ({ name, alias: aliases[n]! }))
  }
}

const fullClass = () => new Refusal('quota-exceeded', say`A class has at most ${limits.ofClass} pupils.`)
