import { TokenService } from '../../../gen/lrs/v1/tokens_pb.js'
import { createToken, revokeToken } from '../command/personal-tokens.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads } from '../../process/methods/audit-entries.ts'
import { byDeveloper, developer } from '../../process/methods/developer.ts'
import { tokenDays } from '../rules/token-scopes.ts'

/** Personal tokens of the members of studios. */
export const tokenService = service(TokenService, {
  createToken: method(
    {
      right: 'member',
      audit: {
        action: 'token.create',
        subject: ({ name }, made) => made && { kind: 'token', id: made.tokenId, name },
        details: ({ scopes, days }, made) => (made ? { scopes: scopes.join(' '), days: days || tokenDays.usual } : {}),
      },
    },
    byDeveloper(createToken),
  ),
  listTokens: method({ right: 'member', audit: reads }, async (core, _request, context) => {
    const { studio, account, role } = await developer(core, context)
    return { tokens: await core.store.personalTokens.list(studio, role === 'owner' ? null : account) }
  }),
  revokeToken: method(
    {
      right: 'member',
      audit: {
        action: 'token.revoke',
        subject: ({ tokenId }, ended) => ({ kind: 'token', id: tokenId, name: ended?.name }),
      },
    },
    byDeveloper(revokeToken),
  ),
})
