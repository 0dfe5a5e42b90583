import type { LaunchTokens } from '../../games/access/launch-tokens.ts'
import { hashSecret } from '../../process/secret.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Store } from '../../store.ts'

type Sessions = { case: 'token' | 'learnerId'; value: string } | { case?: undefined }

/** Ends a session by its secret; an unknown or ended session is no error. */
export async function endLaunch({ launches, endedSessions }: Store, secret: string): Promise<void> {
  await endedSessions.end(await launches.running(hashSecret(secret)))
}

/** Ends the session of a token, or all sessions of a learner; returns how many it ended. @throws Refusal */
export async function endSessions(
  { launches, endedSessions }: Store,
  tokens: LaunchTokens,
  which: Sessions,
): Promise<number> {
  if (which.case === 'learnerId') return endedSessions.end(await launches.runningOf(which.value))
  const { session, expires } = await tokens.inspect(which.case === 'token' ? which.value : '')
  if (session !== undefined) return endedSessions.end([{ id: session, expires }])
  throw new Refusal(
    'conflict',
    'The token has no session, since an older version made it: revoke its credential, or wait until it expires.',
  )
}
