import type { Launch } from '../../../gen/lrs/v1/launches_pb.js'
import { contextOf, launchQuery } from '../../../shared/launch-context.ts'
import type { Addresses } from '../../web/addresses.ts'

/**
 * The address of the game with its launch context, below the signed path of the session. The session's secret is in the
 * fragment, which browsers do not send. Games that keep their route in the fragment see the route `/` with a parameter.
 */
export function gameAddress(at: Addresses, launch: Launch): string {
  const query = launchQuery(contextOf(at.xapi, launch))
  return `${pageOfBuild(at, launch, launch.files)}?${query}#/?session=${launch.sessionSecret}`
}

/**
 * The page of a build; an isolated game is below `/i/`.
 * @param files signed path of a session; empty: the public address, which the live build of a public game has
 */
export function pageOfBuild(
  at: Addresses,
  { buildId, player }: Pick<Launch, 'buildId' | 'player'>,
  files = '',
): string {
  return `${at.games(buildId)}${files}/${player?.isolated ? 'i' : 'b'}/${buildId}/index.html`
}
