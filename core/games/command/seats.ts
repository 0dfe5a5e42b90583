import { lessons as limits } from '../../../shared/limits.ts'
import { hashInvitation } from '../../accounts/access/invitation-codes.ts'
import type { Core } from '../../context.ts'
import { Problem } from '../../process/problem.ts'
import { Refusal } from '../../process/refusal.ts'
import { nicknames } from '../../process/rules/nicknames.ts'
import { learnerName, line } from '../../process/rules/text.ts'
import { hashSecret, newSecret } from '../../process/secret.ts'
import { newSession, startedLaunch, type LaunchContext } from '../access/launch.ts'
import { freeNumber, lessonCode } from '../rules/lesson-codes.ts'
import { whoIs } from '../rules/pupil-names.ts'
import { noGame } from './lessons.ts'

type Needs = Pick<Core, 'store' | 'tokens'>
interface Typed {
  readonly code: string
  readonly senderIp: string
}
type Taken = { readonly seatToken: string }
type OfSeat = Taken

/**
 * Takes a seat in the waiting room of the lesson with this code. Wrong codes count by network. From a network that the
 * teacher knows a right code is never refused, also after wrong ones. @throws Problem, Refusal
 */
export async function joinLesson({ store, tokens }: Needs, { code: typed, senderIp }: Typed): Promise<Taken> {
  const { lessons, seats, portalLimits } = store
  const code = lessonCode(typed)
  if (code === undefined) throw wrongCode()
  await portalLimits.requireFrom('joinLesson', senderIp)
  const network = tokens.networkOf(senderIp)
  const lesson = await lessons.byCode(code, network)
  if (!lesson?.isKnown) {
    await portalLimits.requireFrom('lessonCode', senderIp)
    if (!lesson) throw wrongCode()
    await portalLimits.giveBackFrom('lessonCode', senderIp)
  }
  const seatToken = newSecret()
  return taken(await seats.add(lesson.id, { tokenHash: hashSecret(seatToken), network }, freeSign), seatToken)
}

/** Takes the seat of the pupil with this printed card in the open lesson of its class. @throws Problem, Refusal */
export async function joinByCard({ store, tokens }: Needs, { code, senderIp }: Typed): Promise<Taken> {
  await store.portalLimits.requireFrom('play', senderIp)
  const seatToken = newSecret()
  const seat = { tokenHash: hashSecret(seatToken), network: tokens.networkOf(senderIp) }
  return taken(await store.seats.addByCard(hashInvitation(code), seat, freeSign), seatToken)
}

/**
 * Keeps who is at a seat that was let in. A wrong name and a wrong picture have the same answer.
 * @throws Problem, Refusal
 */
export async function nameSeat(
  { store }: Needs,
  { seatToken, name, picture }: OfSeat & { readonly name: string; readonly picture: number },
): Promise<void> {
  if (picture >= limits.pictures) throw new Problem('picture', 'must be one of the pictures of the page')
  const named = await store.seats.name(hashSecret(seatToken), {
    name,
    picture,
    whoIs,
    newcomer: (aliases) => ({ name: line(name, 'learner_name', learnerName), alias: nicknames(1, aliases)[0]! }),
  })
  switch (named) {
    case 'no-seat':
      throw noSeat()
    case 'no-consent':
      throw noConsent()
    case 'wrong':
      throw new Problem('pupil', 'must be a name of the class, with the picture that belongs to it')
    case 'full':
      throw new Refusal('quota-exceeded', 'The class is full: ask your teacher.')
  }
}

/** Starts a session of the lesson's game for the pupil at the seat. @throws Refusal */
export async function startSeat(
  { store, tokens, config }: Core,
  { seatToken }: OfSeat,
): Promise<{ launch: LaunchContext; gameSlug: string }> {
  const tokenHash = hashSecret(seatToken)
  if (!(await store.seats.get(tokenHash, false))) throw noSeat()
  await store.portalLimits.require('seatStart', tokenHash.toString('hex'))
  const { secret, session } = newSession(tokens)
  const started = await store.seats.start(tokenHash, session, (taken) => nicknames(1, taken)[0]!)
  switch (started) {
    case 'no-seat':
      throw noSeat()
    case 'no-game':
      throw noGame()
    case 'no-consent':
      throw noConsent()
  }
  return { ...started, launch: await startedLaunch({ store, tokens, config }, secret) }
}

/** Ends a seat with its session. @param soon in a few seconds, unless its page is open again by then */
export const leaveSeat = ({ store }: Needs, { seatToken, soon }: OfSeat & { readonly soon: boolean }): Promise<void> =>
  store.seats.leave(hashSecret(seatToken), soon)

function taken(seat: object | 'no-lesson' | 'full' | 'no-consent', seatToken: string): Taken {
  if (seat === 'no-consent') throw noConsent()
  if (seat === 'no-lesson') throw new Refusal('not-found', 'There is no open lesson for this code or card.')
  if (seat === 'full') throw new Refusal('rate-limited', 'Too many pupils wait in this lesson. Try again in a minute.')
  return { seatToken }
}

const freeSign = (used: readonly number[]) => freeNumber(limits.signs, used)
const wrongCode = () => new Problem('lesson_code', 'is wrong, or the lesson has ended')
export const noConsent = () =>
  new Problem('parent_consent', 'is missing: a parent has to agree first. Ask your teacher')
const noSeat = () => new Refusal('not-found', 'The seat has ended, or the teacher has not let it in yet.')
