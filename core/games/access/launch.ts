import type { Launch } from '../../../gen/lrs/v1/launches_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { randomUUID } from 'node:crypto'
import type { Config } from '../../process/config/config.ts'
import { Refusal } from '../../process/refusal.ts'
import type { LaunchSession, NewLaunchSession } from '../store/launches.ts'
import type { PlayerSettings } from '../store/game-pages.ts'
import type { Store } from '../../store.ts'
import { activityId } from '../../records/rules/activity-id.ts'
import type { LaunchTokens } from './launch-tokens.ts'
import { hashSecret } from '../../process/secret.ts'

/** The data that a game needs to send statements for a session. */
export interface LaunchContext extends Omit<Fields<Launch>, 'player'> {
  readonly player: PlayerSettings
}

export interface LaunchNeeds {
  readonly store: Pick<Store, 'launches'>
  readonly tokens: LaunchTokens
  readonly config: Pick<Config, 'authorityHome'>
}

/** What every new session has, and its secret. */
export function newSession(tokens: LaunchTokens): { readonly secret: string; readonly session: NewLaunchSession } {
  const sessionId = randomUUID()
  const secret = tokens.secretsOf(sessionId)[0]!
  const expires = tokens.endOfSession()
  return { secret, session: { sessionId, secretHash: hashSecret(secret), registration: randomUUID(), expires } }
}

/** The launch context of a session, with a token that ends with the session. @throws Refusal when it has ended */
export async function launchOf(
  { tokens, config }: Omit<LaunchNeeds, 'store'>,
  session: LaunchSession,
  sessionSecret: string,
): Promise<LaunchContext> {
  const { sessionId, registration, sandbox, buildId, gameId, player, learnerName, network } = session
  const account = { homePage: `${config.authorityHome}/learners`, name: session.learnerId }
  const actor = JSON.stringify({ objectType: 'Agent', name: learnerName, account })
  const bound = {
    gameId: session.tenantId,
    key: session.key,
    actor,
    registration,
    session: sessionId,
    sandbox: sandbox ? sessionId : undefined,
    network: network ?? undefined,
    build: session.build,
  }
  const { token, expires } = await tokens.mint(bound, session.expires)
  return {
    sessionId,
    sessionSecret,
    token,
    actor,
    registration,
    activityId: activityId(config.authorityHome, gameId),
    buildId,
    gameId,
    player,
    learnerName,
    expires,
    sandbox,
    files: buildId === '' ? '' : tokens.filesOf({ id: sessionId, buildId, expires }),
  }
}

/** The launch context of the session with this secret. @throws Refusal */
export async function getLaunch(parts: LaunchNeeds, secret: string): Promise<LaunchContext> {
  const session = await parts.store.launches.bySecret(hashSecret(secret))
  if (!session) throw noSession()
  return launchOf(parts, session, secret)
}

/** The same for a session that has just started: keeps which build it has. @throws Refusal */
export async function startedLaunch(
  parts: Omit<LaunchNeeds, 'store'> & { readonly store: Pick<Store, 'launches' | 'sessionBuilds'> },
  secret: string,
): Promise<LaunchContext> {
  const session = await parts.store.launches.bySecret(hashSecret(secret))
  if (!session) throw noSession()
  const { tenant, registration, build: number, uploaded } = session
  await parts.store.sessionBuilds.note(tenant, { registration, number, uploaded })
  return launchOf(parts, session, secret)
}

export const noSession = () => new Refusal('not-found', 'The session does not exist or has ended.')
export const noClass = () => new Refusal('not-found', 'There is no such class, or it has ended.')
export const noBeta = () =>
  new Refusal('not-found', 'This link does not exist or has ended: ask the studio for another one.')
export const noInvitation = () =>
  new Refusal('not-found', 'This invitation does not exist or has ended: ask for another one.')
