import { hashInvitation } from '../../accounts/access/invitation-codes.ts'
import { launchOf, noBeta, noInvitation, noSession, type LaunchContext, type LaunchNeeds } from '../access/launch.ts'
import { hashSecret, isSecret } from '../../process/secret.ts'
import { noGame } from '../../records/access/no-game.ts'
import type { FoundInvitation, Invitation } from '../store/invitations.ts'
import type { LinkedBeta } from '../store/read-games.ts'
import type { Learner, LaunchSession, Tester } from '../store/launches.ts'
import type { Store } from '../../store.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import { downloadSeconds, sessionResults } from '../../../shared/limits.ts'
import type { LaunchTokens } from '../access/launch-tokens.ts'
import { learnerKeys } from '../../records/access/learner.ts'
import { isUuid } from '../../records/xapi/values.ts'
import type { Core } from '../../context.ts'
import { outlines } from '../../records/query/outlines.ts'
import { sessionResult, type SessionResult } from '../../analytics/rules/session-result.ts'

/** A sandbox session of a game that the tester may try. @throws Refusal */
export async function getSandbox(parts: LaunchNeeds, tester: Tester, sessionId: string): Promise<LaunchContext> {
  const session = await sandboxOf(parts.store, tester, sessionId)
  const secret = parts.tokens.secretsOf(sessionId).find((secret) => isSecret(secret, session.secretHash)) ?? ''
  return launchOf(parts, session, secret)
}

/** @throws Refusal when there is no such session for this tester */
export async function sandboxOf(
  { launches }: Pick<Store, 'launches'>,
  tester: Tester,
  sessionId: string,
): Promise<LaunchSession> {
  const session = await launches.sandboxOf(tester, sessionId)
  if (!session) throw noSession()
  return session
}

/** @throws Refusal */
export async function testLearners({ launches }: Store, tester: Tester, gameId: string): Promise<Learner[]> {
  const learners = await launches.testLearners(tester, gameId)
  if (!learners) throw noGame()
  return learners
}

/** Invitations without a class, the newest first. @throws Refusal */
export async function listInvitations(
  { invitations }: Store,
  { studio }: Developer,
  gameId: string,
): Promise<Invitation[]> {
  const open = await invitations.list(studio, gameId)
  if (!open) throw noGame()
  return open
}

/** The name of the invited learner, and the game. @param slug empty: whichever game it is @throws Refusal */
export async function getInvitation({ invitations }: Store, slug: string, code: string): Promise<FoundInvitation> {
  const found = await invitations.byCode(slug, hashInvitation(code))
  if (!found) throw noInvitation()
  return found
}

/** What a beta link is for. @throws Refusal */
export async function getBeta({ games }: Store, code: string): Promise<LinkedBeta> {
  const beta = await games.viewBeta(hashSecret(code))
  if (!beta) throw noBeta()
  return beta
}

/** Which of the builds are public, and which of the signed paths are valid: two or three queries for all of them. */
export async function checkFiles(
  { openFiles, endedSessions }: Store,
  { buildIds, signedIds }: { readonly buildIds: readonly string[]; readonly signedIds: readonly string[] },
): Promise<{ openBuilds: string[]; openSigned: string[] }> {
  const signed = signedIds.filter(isUuid)
  const [openBuilds, running, ended] = await Promise.all([
    openFiles.builds(buildIds.filter(isUuid)),
    openFiles.signed(signed),
    endedSessions.among(signed),
  ])
  return { openBuilds, openSigned: running.filter((id) => !ended.includes(id)) }
}

/** Where a tester downloads a package, public or not. @throws Refusal */
export async function downloadOf(
  { openFiles }: Store,
  tokens: LaunchTokens,
  tester: Tester,
  buildId: string,
): Promise<string> {
  const fileName = await openFiles.download(tester, buildId)
  if (fileName === undefined) throw noGame()
  const expires = Math.floor(Date.now() / 1000) + downloadSeconds
  return `${tokens.filesOf({ id: buildId, buildId, expires })}/d/${buildId}/${encodeURIComponent(fileName)}`
}

/**
 * What a learner reached in the session with this secret, which may have ended. Only statements of its learner count,
 * because others may send its registration, too. @throws Refusal 'not-found'
 */
export async function resultOfSession(
  { store, config, fairQueue, work }: Pick<Core, 'store' | 'config' | 'fairQueue' | 'work'>,
  secret: string,
  brief: boolean,
): Promise<SessionResult & { gameId: string; learnerName: string }> {
  const session = await store.launches.played(hashSecret(secret), sessionResults.minutes)
  if (!session) throw noSession()
  const { game, gameId, learnerId, learnerName, start } = session
  const { key } = learnerKeys(learnerId, config)
  const statements = await fairQueue.run(game, () =>
    store.sessionStatements.ofSession({ ...session, actor: key }, brief),
  )
  const said = await outlines(work, game, statements)
  return { gameId, learnerName, ...sessionResult(said, gameId, start) }
}
