import { BuildService } from '../../../gen/lrs/v1/builds_pb.js'
import { setBetaLink } from '../command/beta-link.ts'
import { promote, rollBack } from '../command/channels.ts'
import { findBuilds } from '../query/games.ts'
import { uuidParameter } from '../../records/xapi/parameters.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { buildsOf, gameStates } from './games.ts'
import { reads, ofGame } from '../../process/methods/audit-entries.ts'
import { byDeveloper, developer } from '../../process/methods/developer.ts'

/** Builds of games in their channels, for the portal and the command line. */
export const buildService = service(BuildService, {
  listBuilds: method(
    { right: 'analyst', token: ['read', 'upload', 'games'], audit: reads },
    async (core, { game: named }, context) => {
      const { state, builds, ...game } = await findBuilds(core.store, await developer(core, context), named)
      return { ...game, state: state ? gameStates[state] : 0, ...buildsOf(builds) }
    },
  ),
  promote: method(
    {
      right: 'developer',
      token: ['upload', 'games'],
      audit: { ...ofGame('game.promote'), details: ({ buildId }) => ({ build: buildId }) },
    },
    byDeveloper(promote),
  ),
  rollBack: method(
    {
      right: 'developer',
      token: 'games',
      audit: {
        ...ofGame('game.roll-back'),
        details: ({ fromBuildId }, done) => ({ from: done && fromBuildId, to: done?.buildId }),
      },
    },
    async (core, { gameId, fromBuildId: from, toBuildId }, context) => {
      const to = uuidParameter(toBuildId, 'to_build_id') ?? ''
      return rollBack(core.store, await developer(core, context), { gameId, from, to })
    },
  ),
  setBetaLink: method(
    { right: 'developer', token: 'games', audit: { ...ofGame('game.set-beta-link'), details: ({ on }) => ({ on }) } },
    byDeveloper(setBetaLink),
  ),
})
