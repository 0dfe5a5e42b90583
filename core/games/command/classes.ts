import type { NewLink as NewLinkMessage } from '../../../gen/lrs/v1/classes_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { invitations as limits } from '../../../shared/limits.ts'
import { noClass } from '../access/launch.ts'
import { hashInvitation, newInvitationCode } from '../../accounts/access/invitation-codes.ts'
import { hashSecret, newSecret } from '../../process/secret.ts'
import type { Core } from '../../context.ts'
import { noGame } from '../../records/access/no-game.ts'
import { Refusal } from '../../process/refusal.ts'
import type { NewLearner } from '../store/classes.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import { nicknames, toldApart } from '../../process/rules/nicknames.ts'
import { gameTexts, learnerName, line } from '../../process/rules/text.ts'
import { Problem } from '../../process/problem.ts'
import { isUuid } from '../../records/xapi/values.ts'
import { say } from '../../../shared/say.ts'

type Stored = Pick<Core, 'store'>
type OfClass = { readonly gameId: string; readonly classId: string }
type OfInvitation = { readonly gameId: string; readonly invitationId: string }

/** Learners to invite: by name, and some more with nicknames. */
export interface Invited {
  readonly learnerNames: readonly string[]
  readonly nicknames: number
}

/** A link that was made; its code is not stored. */
export type NewLink = Fields<NewLinkMessage>

/** Invites several learners to a published game. Returns the id of the class. @throws Problem, Refusal */
export async function createClass(
  { store }: Stored,
  { studio }: Developer,
  { gameId, name, ...invited }: Invited & { readonly gameId: string; readonly name: string },
): Promise<{ classId: string }> {
  const made = await store.classes.add(studio, gameId, line(name, 'name', gameTexts.name), learnersOf(invited))
  return typeof made === 'string' ? refuse(made) : { classId: made.id }
}

/** Invites further learners to a class. @throws Problem, Refusal */
export async function addToClass(
  { store }: Stored,
  { studio }: Developer,
  { gameId, classId, ...invited }: Invited & OfClass,
): Promise<void> {
  const done = await store.classes.extend(studio, gameId, classId, learnersOf(invited))
  if (done !== 'done') refuse(done === 'no-game' ? 'no-class' : done)
}

/** New links for invitations, in the order asked for, without those that have ended. @throws Refusal */
export async function renewLinks(
  { store }: Stored,
  { studio }: Developer,
  { gameId, invitationIds }: { readonly gameId: string; readonly invitationIds: readonly string[] },
): Promise<{ links: NewLink[] }> {
  const codes = new Map(invitationIds.filter(isUuid).map((id) => [id.toLowerCase(), newInvitationCode()]))
  const links = [...codes].map(([id, code]) => ({ id, codeHash: hashInvitation(code) }))
  const renewed = await store.classes.renew(studio, gameId, links)
  if (!renewed) throw noGame()
  const names = new Map(renewed.map(({ id, learnerName }) => [id, learnerName]))
  if (names.size === 0) throw new Refusal('not-found', 'There is no such invitation, or it has ended.')
  return {
    links: [...codes].flatMap(([invitationId, code]) => {
      const learnerName = names.get(invitationId)
      return learnerName === undefined ? [] : { invitationId, code, learnerName }
    }),
  }
}

/** Ends all invitations of a class; for a day, `restoreClass` undoes that. Returns how many. @throws Refusal */
export async function endClass(
  { store }: Stored,
  { studio }: Developer,
  { gameId, classId }: OfClass,
): Promise<{ invitations: number }> {
  const invitations = await store.classes.end(studio, gameId, classId)
  if (invitations === undefined) throw noClass()
  return { invitations }
}

/** The code by which a school takes the class over. @throws Refusal */
export async function handOverClass(
  { store }: Stored,
  { studio }: Developer,
  { gameId, classId }: OfClass,
): Promise<{ code: string }> {
  const code = newInvitationCode()
  if (!(await store.classes.handOver(studio, gameId, classId, hashInvitation(code)))) throw noClass()
  return { code }
}

/** @throws Refusal */
export async function restoreClass({ store }: Stored, { studio }: Developer, of: OfClass): Promise<void> {
  if (!(await store.classes.restore(studio, of.gameId, of.classId))) throw cannotRestore()
}

/** @throws Refusal */
export async function restoreInvitation({ store }: Stored, { studio }: Developer, of: OfInvitation): Promise<void> {
  if (!(await store.invitations.restore(studio, of.gameId, of.invitationId))) throw cannotRestore()
}

const cannotRestore = () =>
  new Refusal('not-found', 'This cannot be undone: there is no such thing, it has not ended, or a day has passed.')

/** The learners to add to those whose names are taken. @throws Problem */
function learnersOf({ learnerNames, nicknames: count }: Invited): (taken: readonly string[]) => NewLearner[] {
  const names = learnerNames.map(oneLine).filter((name) => name !== '')
  if (names.length + count === 0) throw new Problem('learner_names', 'must not be empty: whom do you want to invite?')
  if (names.length + count > limits.ofClass) throw tooMany()
  return (taken) => {
    const named = toldApart(names, taken)
    const all = [...named, ...nicknames(count, [...taken, ...named])]
    return all.map((name) => ({ name, codeHash: hashSecret(newSecret()) }))
  }
}

/** A pasted line; empty lines are no names. @throws Problem that says which line */
function oneLine(text: string, index: number): string {
  if (text.trim() === '') return ''
  try {
    return line(text, 'learner_names', learnerName)
  } catch (error) {
    if (error instanceof Problem) throw new Problem('learner_names', say`line ${index + 1} ${error.what}`)
    throw error
  }
}

const tooMany = () => new Problem('learner_names', `must be ${limits.ofClass} at most: make several classes`)

function refuse(why: 'no-game' | 'no-class' | 'not-public' | 'full' | 'class-full' | 'classes-full'): never {
  switch (why) {
    case 'no-game':
      throw noGame()
    case 'no-class':
      throw noClass()
    case 'not-public':
      throw new Refusal('conflict', 'The game is not published: invite learners when it is.')
    case 'class-full':
      throw new Refusal('quota-exceeded', `A class has ${limits.ofClass} learners at most: make another one.`)
    case 'classes-full':
      throw new Refusal('quota-exceeded', `There are ${limits.classes} classes: end some of them first.`)
    case 'full':
      throw new Refusal('quota-exceeded', `There are ${limits.ofGame} invitations: end some of them first.`)
  }
}
