import type { ServiceImpl } from '@connectrpc/connect'
import type { TokenService } from '../../../gen/lrs/v1/tokens_pb.js'
import { createToken, revokeToken } from '../../command/accounts/personal-tokens.ts'
import type { Core } from '../../context.ts'
import { developer } from './developer.ts'

/** Personal tokens of the members of studios. */
export function tokenService(core: Core): ServiceImpl<typeof TokenService> {
  const { store } = core
  return {
    createToken: async (request, context) => createToken(core, await developer(core, context), request),
    async listTokens(_request, context) {
      const { studio, account, role } = await developer(core, context)
      const tokens = await store.personalTokens.list(studio, role === 'owner' ? null : account)
      return {
        tokens: tokens.map(({ scopes, created, expires, lastUsed, ...token }) => ({
          ...token,
          scopes: [...scopes],
          created: BigInt(created),
          expires: BigInt(expires),
          lastUsed: BigInt(lastUsed),
        })),
      }
    },
    revokeToken: async ({ tokenId }, context) => ({
      name: await revokeToken(store, await developer(core, context), tokenId),
    }),
  }
}
