import { randomUUID } from 'node:crypto'
import { forwards as limits } from '../../../shared/limits.ts'
import type { Sealer } from '../../accounts/access/sealed.ts'
import { noGame } from '../../records/access/no-game.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import { forwardCredential, forwardSettings, type ForwardCredential, type ForwardSettings } from '../rules/forward.ts'
import { timeParameter } from '../../records/xapi/parameters.ts'
import { parse } from '../../records/xapi/json.ts'
import { Problem } from '../../process/problem.ts'
import { countEndpoint } from './count-endpoint.ts'

type Needs = Pick<Core, 'store' | 'sealer'>

/** Where the credential of a forward is kept. */
const sealContextOf = (forwardId: string) => ({ table: 'forward', column: 'credential', row: forwardId })

export const noForward = (): Refusal => new Refusal('not-found', 'There is no such forward.')

/** @throws SealError */
export const openCredential = (
  { sealer }: { readonly sealer: Pick<Sealer, 'open'> },
  forwardId: string,
  sealed: Buffer | null,
): ForwardCredential =>
  sealed === null ? undefined : (parse(sealer.open(sealContextOf(forwardId), sealed)) as ForwardCredential)

function sealedOf({ sealer }: Needs, forwardId: string, credential: ForwardCredential) {
  const user = credential !== undefined && 'user' in credential ? credential.user : ''
  const sealed = credential === undefined ? null : sealer.seal(sealContextOf(forwardId), JSON.stringify(credential))
  return { user, sealed }
}

const hostOf = ({ endpoint }: ForwardSettings): string => new URL(endpoint).host

/**
 * Adds a forward of a game.
 * @param studio must own the game; undefined: any game
 * @param since what was stored after it is sent; empty: what is stored from now on
 * @returns its id
 * @throws Problem, Refusal
 */
export async function addForward(
  core: Needs,
  studio: number | undefined,
  given: { gameId: string; settings: ForwardSettings; credential: ForwardCredential; since: string },
): Promise<string> {
  const { store } = core
  const settings = forwardSettings(given.settings)
  const credential = forwardCredential(given.credential)
  const through = timeParameter(given.since, 'since') ?? Date.now() * 1000
  const found = await store.games.tenant(given.gameId, studio, settings.sandbox)
  if (!found) throw noGame()
  await countEndpoint(store, studio)
  const forwardId = randomUUID()
  const { user, sealed } = sealedOf(core, forwardId, credential)
  const isAdded = await store.forwards.add(
    {
      forwardId,
      gameId: given.gameId,
      tenant: found.game,
      settings,
      host: hostOf(settings),
      user,
      credential: sealed,
      through: Math.max(0, through),
      batch: limits.batch,
    },
    limits.ofGame,
  )
  if (!isAdded)
    throw new Refusal('conflict', `The game has ${limits.ofGame} forwards, the most there may be: remove one first.`, {
      rule: 'limits#forwards',
    })
  return forwardId
}

/** Changes a forward. @param given.credential undefined: it stays @throws Problem, Refusal */
export async function changeForward(
  core: Needs,
  studio: number | undefined,
  forwardId: string,
  given: { settings: ForwardSettings; credential: ForwardCredential },
): Promise<void> {
  const { store } = core
  const before = await store.forwards.find(forwardId, studio)
  if (!before) throw noForward()
  const settings = forwardSettings(given.settings)
  const credential = forwardCredential(given.credential)
  if (settings.sandbox !== before.settings.sandbox)
    throw new Problem('settings.sandbox', 'cannot be changed: add another forward')
  requireOwn(before.settings, settings, credential, before.credential !== null)
  if (settings.endpoint !== before.settings.endpoint) await countEndpoint(store, studio)
  const sealed = credential && sealedOf(core, forwardId, credential)
  const changed = { settings, host: hostOf(settings), batch: limits.batch }
  if (!(await store.forwards.change(forwardId, studio, changed, sealed))) throw noForward()
}

/** Nobody sends a credential elsewhere that they do not know. @throws Problem */
export function requireOwn(
  before: Pick<ForwardSettings, 'endpoint'>,
  settings: Pick<ForwardSettings, 'endpoint'>,
  credential: ForwardCredential,
  isKept: boolean,
): void {
  if (credential === undefined && isKept && settings.endpoint !== before.endpoint)
    throw new Problem('credential', 'must be given again for another endpoint')
}

/** Goes back to a time. @throws Problem, Refusal 'not-found' */
export async function sendAgain(
  { store }: Needs,
  studio: number | undefined,
  forwardId: string,
  since: string,
): Promise<void> {
  const through = timeParameter(since, 'since')
  if (through === undefined) throw new Problem('since', 'is missing')
  if (!(await store.forwards.sendAgain(forwardId, studio, Math.max(0, through)))) throw noForward()
}
