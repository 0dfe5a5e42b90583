import type { Launch } from '../../../gen/lrs/v1/launches_pb.js'
import { contextOf, launchQuery } from '../../../shared/launch-context.ts'
import type { Addresses } from '../../web/addresses.ts'

/**
 * The address of the game with its launch context, below the signed path of the session; an isolated game is below
 * `/i/`. The session's secret is in the
 * fragment, which browsers do not send. Games that keep their route in the fragment see the route `/` with a parameter.
 */
export function gameAddress(at: Addresses, launch: Launch): string {
  const { buildId, sessionSecret, player, files } = launch
  const query = launchQuery(contextOf(at.xapi, launch))
  const folder = player?.isolated ? 'i' : 'b'
  return `${at.games(buildId)}${files}/${folder}/${buildId}/index.html?${query}#/?session=${sessionSecret}`
}
