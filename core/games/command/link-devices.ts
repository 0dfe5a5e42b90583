import { devices as limits } from '../../../shared/limits.ts'
import type { Core } from '../../context.ts'
import { Problem } from '../../process/problem.ts'
import { Refusal } from '../../process/refusal.ts'
import { hashSecret, newSecret } from '../../process/secret.ts'
import type { Store } from '../../store.ts'
import { noSession } from '../access/launch.ts'
import { newUserCode, userCode } from '../rules/user-code.ts'
import { choiceOf, requireChosen, tokenOf, type PlayChoice } from './start-play.ts'

/** A code as a learner typed it, and the address of the browser. */
interface Typed {
  readonly userCode: string
  readonly senderIp: string
}

/** Makes the codes of a device that asks (RFC 8628, 3.2). @throws Refusal */
export async function askCode(
  { store }: Pick<Core, 'store'>,
  { slug, senderIp }: { readonly slug: string; readonly senderIp: string },
): Promise<{ deviceCode: string; userCode: string; expiresIn: number; interval: number }> {
  await store.portalLimits.requireFrom('deviceCode', senderIp)
  const [deviceCode, code] = [newSecret(), newUserCode()]
  switch (await store.devices.askCode(slug, hashSecret(deviceCode), hashSecret(code))) {
    case 'done':
      return { deviceCode, userCode: code, expiresIn: limits.codeSeconds, interval: limits.pollSeconds }
    case 'no-game':
      throw new Refusal('not-found', 'There is no such game, or its studio has not switched on the linking of devices.')
    case 'full':
      throw full()
  }
}

/** The game that shows the code. @throws Problem, Refusal */
export const getCode = ({ store }: Pick<Core, 'store'>, typed: Typed): Promise<{ slug: string; userCode: string }> =>
  byCode(store, typed, async (hash) => {
    const found = await store.devices.waiting(hash)
    return found ? { slug: found.slug, userCode: userCode(typed.userCode)! } : 'no-code'
  })

/** Links the device that asks with the learner who is at the page. @throws Problem, Refusal */
export async function allowDevice(
  { store }: Pick<Core, 'store'>,
  typed: string,
  choice: PlayChoice,
): Promise<{ learnerToken: string; learnerName: string }> {
  const { newToken, wanted } = choiceOf(choice)
  const chosen = await byCode(store, { userCode: typed, senderIp: choice.senderIp }, (hash) =>
    store.devices.allow(hash, wanted),
  )
  const { how, name } = requireChosen(chosen)
  return { learnerToken: tokenOf(how, newToken, choice), learnerName: name }
}

/** Refuses the device that asks. @throws Problem, Refusal */
export const denyDevice = async ({ store }: Pick<Core, 'store'>, typed: Typed): Promise<void> =>
  void (await byCode(store, typed, async (hash) => ((await store.devices.deny(hash)) ? 'done' : 'no-code')))

/** The link that opens the installed game for the learner of a session: once, within a minute. @throws Refusal */
export async function makeLink(
  { store }: Pick<Core, 'store'>,
  { sessionSecret, senderIp }: { readonly sessionSecret: string; readonly senderIp: string },
): Promise<{ link: string }> {
  await store.portalLimits.requireFrom('deviceCode', senderIp)
  const session = await store.launches.bySecret(hashSecret(sessionSecret))
  if (!session || session.sandbox) throw noSession()
  const { tenant, learnerId, player } = session
  if (!player.devices || player.launchLink === '') throw new Refusal('not-found', 'No link opens this game.')
  const code = newSecret()
  if (!(await store.devices.addLink(tenant, learnerId, hashSecret(code)))) throw full()
  return { link: `${player.launchLink}?launch=${code}` }
}

/**
 * Runs with the hash of a typed code. Wrong codes count against limits of the sender and of all. When all are beyond
 * theirs, each sender has fewer.
 * @throws Problem, Refusal
 */
async function byCode<Found>(
  { portalLimits }: Pick<Store, 'portalLimits'>,
  { userCode: typed, senderIp }: Typed,
  run: (hash: Buffer) => Promise<Found | 'no-code'>,
): Promise<Found> {
  const code = userCode(typed)
  if (code === undefined) throw noCode()
  await portalLimits.requireFrom('wrongDeviceCode', senderIp)
  const isBeyond = !(await portalLimits.take('wrongDeviceCodes', ''))
  if (isBeyond) await portalLimits.requireFrom('wrongDeviceCodeBeyond', senderIp)
  let isWrong = false
  try {
    const found = await run(hashSecret(code))
    isWrong = found === 'no-code'
    if (found === 'no-code') throw noCode()
    return found
  } finally {
    if (!isWrong) {
      await portalLimits.giveBackFrom('wrongDeviceCode', senderIp)
      await portalLimits.giveBack('wrongDeviceCodes', '')
      if (isBeyond) await portalLimits.giveBackFrom('wrongDeviceCodeBeyond', senderIp)
    }
  }
}

const noCode = () => new Problem('user_code', 'is unknown or too old. Let the game show a new one')
const full = () =>
  new Refusal('rate-limited', 'Too many devices of this game wait to be linked. Try again in a minute.')
