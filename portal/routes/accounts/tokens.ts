import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { PageFailure } from '../../web/failure.ts'
import { newestToken, scopes, tokensPage, tokensPath, type Making } from '../../pages/accounts/account/tokens.ts'
import { routes } from '../../web/routes.ts'
import { notice, uuid, type Portal, type SignedIn } from '../../web/visit.ts'

/** Personal tokens. Only the response to one POST holds the token. */
export const tokens = (portal: Portal): Router =>
  routes(portal)
    .member(`GET ${tokensPath}`, async (visit) => {
      return shown(visit, { done: notice(visit, { revoked: 'The token is revoked.' }) })
    })
    .member(
      `POST ${tokensPath}`,
      async (visit) => {
        const { core, form, response } = visit
        const name = form('name')
        const before = await listed(visit)
        if (form('seen') !== newestToken(before))
          throw new PageFailure(
            Reason.CONFLICT,
            'A token was made after you opened this page. Make another one only if you do not have it.',
          )
        const wanted = scopes.filter((scope) => form(`scope_${scope.name}`) !== '').map((scope) => scope.name)
        const days = Number(form('days')) || 0
        const { token } = await core.tokens.createToken({ name, scopes: wanted, days: Math.min(days, 100_000) >>> 0 })
        // no cache keeps it; it is not compressed, so its size reveals nothing (BREACH)
        response.set('Cache-Control', 'no-store, no-transform')
        return await shown(visit, { made: { name, token } })
      },
      shown,
    )
    .member(`POST ${tokensPath}/:id/revoke`, async (visit) => {
      await visit.core.tokens.revokeToken({ tokenId: uuid(visit) })
      return `${tokensPath}?done=revoked`
    })

async function shown(visit: SignedIn, making: Making) {
  const [tokens, { fresh }] = await Promise.all([listed(visit), visit.core.signIn.getSignInSettings({})])
  return tokensPage(visit, tokens, { ...making, fresh })
}

const listed = async (visit: SignedIn) => (await visit.core.tokens.listTokens({})).tokens
