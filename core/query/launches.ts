import { hashSecret, isSecret } from '../access/secret.ts'
import type { Core } from '../context.ts'
import { Refusal } from '../refusal.ts'
import { activityId } from '../studio/activity-id.ts'
import type { Invitation } from '../store/invitations.ts'
import type { Learner, Session } from '../store/launches.ts'
import type { Store } from '../store/store.ts'
import type { Developer } from '../store/studio-sessions.ts'
import { noGame } from './games.ts'

/** What a game needs to report. */
export interface LaunchContext {
  readonly sessionId: string
  readonly sessionSecret: string
  readonly token: string
  /** JSON of the learner's Agent. */
  readonly actor: string
  readonly registration: string
  readonly activityId: string
  readonly buildId: string
  readonly gameId: string
  readonly learnerName: string
  /** When token and session end: seconds since 1970. */
  readonly expires: number
  readonly sandbox: boolean
}

type Parts = Pick<Core, 'store' | 'tokens' | 'config'>

/** The launch context of a session: with a token for its learner and registration that ends with it. @throws Refusal when it is over */
export async function launchOf({ tokens, config }: Parts, session: Session, sessionSecret: string): Promise<LaunchContext> {
  const { sessionId, registration, sandbox, buildId, gameId, learnerName, network } = session
  const account = { homePage: `${config.authorityHome}/learners`, name: session.learnerId }
  const actor = JSON.stringify({ objectType: 'Agent', name: learnerName, account })
  const bound = {
    gameId: session.tenantId, key: session.key, actor, registration, session: sessionId,
    sandbox: sandbox ? sessionId : undefined, network: network ?? undefined,
  }
  const { token, expires } = await tokens.mint(bound, session.expires)
  return { sessionId, sessionSecret, token, actor, registration, activityId: activityId(config.authorityHome, gameId), buildId, gameId, learnerName, expires, sandbox }
}

/** By the session's secret, of whoever has it. @throws Refusal */
export async function getLaunch(parts: Parts, secret: string): Promise<LaunchContext> {
  const session = await parts.store.launches.bySecret(hashSecret(secret))
  if (!session) throw noSession()
  return launchOf(parts, session, secret)
}

/** A sandbox session of one of the studio's games, or of one that it reviews. @throws Refusal */
export async function getSandbox(parts: Parts, developer: Developer, sessionId: string): Promise<LaunchContext> {
  const session = await sandboxOf(parts.store, developer, sessionId)
  const secret = parts.tokens.secretsOf(sessionId).find((secret) => isSecret(secret, session.secretHash)) ?? ''
  return launchOf(parts, session, secret)
}

/** @throws Refusal when the studio has no such session */
export async function sandboxOf({ launches }: Store, { studio }: Developer, sessionId: string): Promise<Session> {
  const session = await launches.sandboxOf(studio, sessionId)
  if (!session) throw noSession()
  return session
}

/** @throws Refusal */
export async function testLearners({ launches }: Store, { studio }: Developer, gameId: string): Promise<Learner[]> {
  const learners = await launches.testLearners(studio, gameId)
  if (!learners) throw noGame()
  return learners
}

/** Those that were not revoked, newest first. @throws Refusal */
export async function listInvitations({ invitations }: Store, { studio }: Developer, gameId: string): Promise<Invitation[]> {
  const open = await invitations.list(studio, gameId)
  if (!open) throw noGame()
  return open
}

/** What the invited learner is called. @throws Refusal */
export async function getInvitation({ invitations }: Store, slug: string, code: string): Promise<string> {
  const name = await invitations.learnerOf(slug, hashSecret(code))
  if (name === undefined) throw noInvitation()
  return name
}

const noSession = () => new Refusal('not-found', 'The session does not exist or has ended.')
export const noInvitation = () => new Refusal('not-found', 'This invitation does not exist or has ended: ask for another one.')
