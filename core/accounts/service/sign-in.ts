import type { HandlerContext } from '@connectrpc/connect'
import { SignInService } from '../../../gen/lrs/v1/sign_in_pb.js'
import { beginPasskeySignIn, finishSignIn, signInWithPasskey } from '../command/finish-sign-in.ts'
import {
  addPasskey,
  beginConfirmation,
  beginPasskey,
  beginTotp,
  confirm,
  confirmTotp,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
  resetSecondFactor,
} from '../command/second-factors.ts'
import { signInSettings } from '../query/sign-in-settings.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Account } from '../store/accounts.ts'
import { callOf } from '../../process/methods/call.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, account, NotAudited } from '../../process/methods/audit-entries.ts'
import { byPerson, person } from '../../process/methods/developer.ts'

/** Second factors, passkeys and sessions of accounts. */
export const signInService = service(SignInService, {
  finishSignIn: method(
    {
      right: 'public',
      audit: {
        action: 'account.second-step',
        details: ({ passkey, code }) => ({
          by: passkey !== '' ? 'passkey' : code.trim().length > 7 ? 'recovery code' : 'app',
        }),
      },
    },
    async (core, request, context) => finishSignIn(core, request, named(context)),
  ),
  beginPasskeySignIn: method({ right: 'public', audit: reads }, async (core, request) => ({
    options: await beginPasskeySignIn(core, request),
  })),
  signInWithPasskey: method(
    { right: 'public', byPassword: true, audit: 'account.sign-in-by-passkey' },
    async (core, request, context) => signInWithPasskey(core, request, named(context)),
  ),
  getSignInSettings: method({ right: 'entrance', audit: reads }, async (core, _request, context) =>
    signInSettings(core, await person(core, context)),
  ),
  beginTotp: method(
    { right: 'entrance', audit: new NotAudited('It only prepares: ConfirmTotp changes something, and is audited.') },
    byPerson(beginTotp),
  ),
  confirmTotp: method({ right: 'entrance', audit: 'account.add-app' }, byPerson(confirmTotp)),
  removeTotp: method({ right: 'entrance', audit: 'account.remove-app' }, byPerson(removeTotp)),
  renewRecoveryCodes: method(
    { right: 'entrance', audit: 'account.renew-recovery-codes' },
    byPerson(renewRecoveryCodes),
  ),
  beginPasskey: method({ right: 'entrance', audit: reads }, byPerson(beginPasskey)),
  addPasskey: method({ right: 'entrance', audit: 'account.add-passkey' }, byPerson(addPasskey)),
  removePasskey: method(
    {
      right: 'entrance',
      audit: { action: 'account.remove-passkey', details: ({ passkeyId }) => ({ passkey: passkeyId }) },
    },
    byPerson(removePasskey),
  ),
  beginConfirmation: method({ right: 'entrance', audit: reads }, byPerson(beginConfirmation)),
  confirm: method({ right: 'entrance', audit: 'account.confirm' }, byPerson(confirm)),
  listSessions: method({ right: 'entrance', audit: reads }, async (core, _request, context) => {
    return { sessions: await core.store.studioSessions.listOf(await person(core, context)) }
  }),
  endSession: method({ right: 'entrance', audit: 'account.end-session' }, async (core, { sessionId }, context) => {
    if (!(await core.store.studioSessions.endListed(await person(core, context), sessionId)))
      throw new Refusal('not-found', 'This session has ended already.')
  }),
  endOtherSessions: method(
    {
      right: 'entrance',
      audit: { action: 'account.end-other-sessions', details: (_, ended) => ({ sessions: ended?.sessions }) },
    },
    async (core, _request, context) => ({
      sessions: await core.store.studioSessions.endOthers(await person(core, context)),
    }),
  ),
  resetSecondFactor: method(
    {
      right: 'none',
      audit: {
        action: 'account.reset-second-factor',
        subject: account,
        details: (_, done) => ({ sessions: done?.sessions }),
      },
    },
    resetSecondFactor,
  ),
})

/** For the audit log: who calls, although there is no session yet. */
const named =
  (context: HandlerContext) =>
  ({ accountId, email }: Account): void =>
    void (callOf(context).person = { accountId, email, studioId: null })
