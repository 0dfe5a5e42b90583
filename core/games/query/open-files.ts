import { downloadSeconds } from '../../../shared/limits.ts'
import { noGame } from '../../records/access/no-game.ts'
import type { LaunchTokens } from '../access/launch-tokens.ts'
import type { Tester } from '../store/launches.ts'
import type { Store } from '../../store.ts'

/** Which of the builds are public, and which of the signed paths are valid: two or three queries for all of them. */
export async function checkFiles(
  { openFiles, endedSessions }: Store,
  { buildIds, signedIds }: { readonly buildIds: readonly string[]; readonly signedIds: readonly string[] },
): Promise<{ openBuilds: string[]; openSigned: string[] }> {
  const [openBuilds, running, ended] = await Promise.all([
    openFiles.builds(buildIds),
    openFiles.signed(signedIds),
    endedSessions.among(signedIds),
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
