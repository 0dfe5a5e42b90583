import { sessionResults } from '../../../shared/limits.ts'
import { noSession } from '../access/launch.ts'
import { learnerKeys } from '../../records/access/learner.ts'
import { hashSecret } from '../../process/secret.ts'
import type { Core } from '../../context.ts'
import { outlines } from '../../records/query/outlines.ts'
import { sessionResult, type SessionResult } from '../../analytics/rules/session-result.ts'

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
