import type { ServiceImpl } from '@connectrpc/connect'
import type { BuildService } from '../../../gen/lrs/v1/builds_pb.js'
import { setBetaLink } from '../../command/games/beta-link.ts'
import { promote, rollBack } from '../../command/games/channels.ts'
import type { Core } from '../../context.ts'
import { findBuilds } from '../../query/games.ts'
import { uuidParameter } from '../../xapi/parameters.ts'
import { developer } from './developer.ts'
import { buildsOf, gameStates } from './games.ts'

/** Builds of games in their channels, for the portal and the command line. */
export function buildService(core: Core): ServiceImpl<typeof BuildService> {
  const { store } = core
  return {
    async listBuilds({ game: named }, context) {
      const { gameId, slug, state, builds, allowed } = await findBuilds(store, await developer(core, context), named)
      const { inGrace: _, ...of } = buildsOf(builds)
      return { gameId, slug, state: state ? gameStates[state] : 0, ...of, allowed: [...allowed] }
    },
    async promote({ gameId, buildId, message }, context) {
      await promote(store, await developer(core, context), { gameId, buildId, message })
      return {}
    },
    async rollBack({ gameId, fromBuildId: from, toBuildId }, context) {
      const to = uuidParameter(toBuildId, 'to_build_id') ?? ''
      const { buildId, number } = await rollBack(store, await developer(core, context), { gameId, from, to })
      return { buildId, number }
    },
    setBetaLink: async ({ gameId, on }, context) => ({
      code: await setBetaLink(store, await developer(core, context), gameId, on),
    }),
  }
}
