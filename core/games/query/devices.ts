import type { Store } from '../../store.ts'
import { uuidParameter } from '../../records/xapi/parameters.ts'
import { noGame } from '../../records/access/no-game.ts'

/** The devices of a game, or of one of its learners, the last used first. @throws Refusal */
export async function listDevices(
  { games, devices, launches }: Pick<Store, 'games' | 'devices' | 'launches'>,
  studio: number | undefined,
  { gameId, learnerId }: { readonly gameId: string; readonly learnerId: string },
) {
  const tenants = await games.tenants(gameId, studio)
  if (!tenants) throw noGame()
  const learner = uuidParameter(learnerId, 'learnerId')
  if (learner === undefined) return devices.ofGame(gameId)
  return (await launches.isLearnerOf(tenants.game, learner)) ? devices.ofLearner(learner) : []
}
