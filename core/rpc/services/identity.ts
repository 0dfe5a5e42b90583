import type { ServiceImpl } from '@connectrpc/connect'
import type { IdentityService } from '../../../gen/lrs/v1/identity_pb.js'
import { endSessions } from '../../command/accounts/end-sessions.ts'
import {
  issueCredential,
  mintLaunchToken,
  revokeCredential,
  rotateCredential,
} from '../../command/games/credentials.ts'
import type { Core } from '../../context.ts'
import { scopeOf } from '../access/scopes.ts'

/** Games, credentials and launch tokens, for admins. For studios, GameService and LaunchService check the owner. */
export function identityService({ store, tokens, config }: Core): ServiceImpl<typeof IdentityService> {
  return {
    createGame: async ({ name }) => ({
      gameId: (await store.transaction((run) => store.games.add(run, name))).gameId,
    }),
    issueCredential: ({ gameId, scopes }) => issueCredential(store, gameId, scopes.map(scopeOf), config.authorityHome),
    rotateCredential: async ({ key }) => ({ secret: await rotateCredential(store, key) }),
    revokeCredential: async ({ key }) => {
      await revokeCredential(store, key)
      return {}
    },
    mintLaunchToken: async ({ key, actor, registration }) => {
      const launch = await mintLaunchToken(store, tokens, key, actor, registration)
      return { token: launch.token, registration: launch.registration, expires: BigInt(launch.expires) }
    },
    inspectLaunchToken: async ({ token }) => {
      const launch = await tokens.inspect(token)
      return { ...launch, expires: BigInt(launch.expires) }
    },
    endSessions: async ({ sessions }) => ({ ended: await endSessions(store, tokens, sessions) }),
  }
}
