import { IdentityService } from '../../../gen/lrs/v1/identity_pb.js'
import { endSessions } from '../../accounts/command/end-sessions.ts'
import { issueCredential, mintLaunchToken, revokeCredential, rotateCredential } from '../command/credentials.ts'
import { scopeOf } from './scopes.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, game, credential, ofGame, scopes } from '../../process/methods/audit-entries.ts'

/** Games, credentials and launch tokens, for admins. For studios, GameService and LaunchService check the owner. */
export const identityService = service(IdentityService, {
  createGame: method(
    { right: 'none', audit: { action: 'game.create', subject: (_, made) => made && game(made) } },
    async ({ store }, { name }) => ({
      gameId: (await store.transaction((run) => store.games.add(run, name))).gameId,
    }),
  ),
  issueCredential: method(
    { right: 'none', audit: { ...ofGame('credential.issue'), details: scopes } },
    (core, { gameId, scopes }) => issueCredential(core.store, gameId, scopes.map(scopeOf), core.config.authorityHome),
  ),
  rotateCredential: method(
    { right: 'none', audit: { action: 'credential.rotate', subject: credential } },
    async ({ store }, { key }) => ({ secret: await rotateCredential(store, key) }),
  ),
  revokeCredential: method(
    { right: 'none', audit: { action: 'credential.revoke', subject: credential } },
    async ({ store }, { key }) => revokeCredential(store, key),
  ),
  mintLaunchToken: method(
    { right: 'none', audit: { action: 'credential.mint-launch-token', subject: credential } },
    (core, { key, actor, registration }) => mintLaunchToken(core.store, core.tokens, key, actor, registration),
  ),
  inspectLaunchToken: method({ right: 'none', audit: reads }, (core, { token }) => core.tokens.inspect(token)),
  endSessions: method(
    { right: 'none', audit: { action: 'learner.end-sessions', details: (_, done) => ({ sessions: done?.ended }) } },
    async (core, { sessions }) => ({ ended: await endSessions(core.store, core.tokens, sessions) }),
  ),
})
