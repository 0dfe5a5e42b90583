import { AccountService } from '../../../gen/lrs/v1/accounts_pb.js'
import { ProviderService, SignInProblem } from '../../../gen/lrs/v1/providers_pb.js'
import { MemberService } from '../../../gen/lrs/v1/members_pb.js'
import { LinkService } from '../../../gen/lrs/v1/links_pb.js'
import { NoticeService } from '../../../gen/lrs/v1/notices_pb.js'
import { SignInService } from '../../../gen/lrs/v1/sign_in_pb.js'
import { TokenService } from '../../../gen/lrs/v1/tokens_pb.js'
import { tokenDays } from '../../studio/token-scopes.ts'
import { NotAudited, account, audited, member, ofStudio, reads, roleOf } from '../services/audit-entries.ts'

const begun = new NotAudited('It only begins: FinishProviderSignIn is audited.')

/** What is kept of accounts, sign-ins, members and tokens. */
export const ofPeople = [
  ...audited(AccountService, {
    signUp: { action: 'account.sign-up', subject: account, signsIn: true },
    signIn: {
      action: 'account.sign-in',
      subject: account,
      signsIn: true,
      details: (_, done) => ({ 'second step': done?.pending ? 'follows' : undefined }),
    },
    signOut: { action: 'account.sign-out' },
    signOutEverywhere: {
      action: 'account.sign-out-everywhere',
      details: (_, ended) => ({ sessions: ended?.sessions }),
    },
    changePassword: { action: 'account.change-password' },
    getAccount: reads,
    updateStudio: { action: 'studio.update' },
    removeLogo: { action: 'studio.remove-logo' },
    getPublicStudio: reads,
    createChallenge: reads,
    contactStudio: new NotAudited('The message itself is kept; its limit counts the sender.'),
    listMessages: reads,
    deleteMessage: { action: 'studio.delete-messages', details: () => ({ messages: 1 }) },
    deleteMessages: {
      action: 'studio.delete-messages',
      details: ({ messageIds }) => ({ messages: messageIds.length }),
    },
    discardProfileChanges: { action: 'studio.discard-changes' },
    decideProfile: {
      action: 'studio.decide-profile',
      subject: ({ studioId }) => ({ kind: 'studio', id: studioId }),
      details: ({ approved, profile }) => ({ approved, changes: profile }),
    },
    setReviewer: { action: 'account.set-reviewer', subject: account, details: ({ reviewer }) => ({ reviewer }) },
    setTrusted: {
      action: 'studio.set-trusted',
      subject: ({ email }) => ({ kind: 'studio', id: email }),
      details: ({ trusted }) => ({ trusted }),
    },
    resetPassword: { action: 'account.reset-password', subject: account },
    listStudios: reads,
  }),
  ...audited(SignInService, {
    finishSignIn: {
      action: 'account.second-step',
      details: ({ passkey, code }) => ({
        by: passkey !== '' ? 'passkey' : code.trim().length > 7 ? 'recovery code' : 'app',
      }),
    },
    beginPasskeySignIn: reads,
    signInWithPasskey: { action: 'account.sign-in-by-passkey' },
    getSignInSettings: reads,
    beginTotp: new NotAudited('It only prepares: ConfirmTotp changes something, and is audited.'),
    confirmTotp: { action: 'account.add-app' },
    removeTotp: { action: 'account.remove-app' },
    renewRecoveryCodes: { action: 'account.renew-recovery-codes' },
    beginPasskey: reads,
    addPasskey: { action: 'account.add-passkey' },
    removePasskey: { action: 'account.remove-passkey', details: ({ passkeyId }) => ({ passkey: passkeyId }) },
    beginConfirmation: reads,
    confirm: { action: 'account.confirm' },
    listSessions: reads,
    endSession: { action: 'account.end-session' },
    endOtherSessions: { action: 'account.end-other-sessions', details: (_, ended) => ({ sessions: ended?.sessions }) },
    resetSecondFactor: {
      action: 'account.reset-second-factor',
      subject: account,
      details: (_, done) => ({ sessions: done?.sessions }),
    },
  }),
  ...audited(ProviderService, {
    listSignInProviders: reads,
    startProviderSignIn: begun,
    startProviderLink: begun,
    finishProviderSignIn: {
      action: 'account.sign-in-with-provider',
      subject: (_, done) => (done?.email ? { kind: 'account', id: done.email } : undefined),
      details: ({ provider }, done) => ({
        // a caller who comes back without a sign-in under way may name anything
        provider: done && done.problem !== SignInProblem.OVER ? provider : undefined,
        problem: done?.problem ? SignInProblem[done.problem]?.toLowerCase() : undefined,
        linked: done?.linked || undefined,
        opened: done?.opened || undefined,
      }),
      isRefused: ({ problem }) => problem !== SignInProblem.UNSPECIFIED,
      signsIn: true,
    },
    listProviderLinks: reads,
    removeProviderLink: {
      action: 'account.unlink-provider',
      details: ({ provider }, done) => ({ provider: done && provider }),
    },
    addProvider: { action: 'provider.add', details: ({ name }, done) => ({ name, issuer: done?.provider?.issuer }) },
    listProviders: reads,
    setProvider: {
      action: 'provider.set',
      details: ({ name, clientSecret }) => ({ name, secret: clientSecret !== undefined }),
    },
    removeProvider: {
      action: 'provider.remove',
      details: ({ name }, done) => ({ name, links: done?.links, stranded: done?.stranded }),
      unless: ({ preview }) => preview,
    },
    testProvider: reads,
  }),
  ...audited(LinkService, {
    sendReset: { action: 'account.send-reset', subject: account },
    sendVerification: { action: 'account.send-verification' },
    sendNewAddress: { action: 'account.send-new-address' },
    getLink: reads,
    confirmSignUp: { action: 'account.confirm-sign-up', subject: (_, made) => made && account(made), signsIn: true },
    usePasswordLink: { action: 'account.use-password-link', subject: (_, used) => used && account(used) },
    useAddressLink: { action: 'account.use-address-link', subject: (_, used) => used && account(used) },
  }),
  ...audited(MemberService, {
    listMembers: reads,
    inviteMember: { action: 'member.invite', details: roleOf },
    revokeMemberInvitation: {
      action: 'member.revoke-invitation',
      details: ({ invitationId }) => ({ invitation: invitationId }),
    },
    getMemberInvitation: reads,
    acceptMemberInvitation: ofStudio('member.join'),
    setMemberRole: { ...member('member.set-role'), details: roleOf },
    removeMember: member('member.remove'),
    handOver: member('member.hand-over'),
    leaveStudio: { action: 'member.leave' },
    switchStudio: new NotAudited('It only chooses the studio for which the session works.'),
    openStudio: ofStudio('studio.open'),
    deleteStudio: { action: 'studio.delete' },
    keepStudio: { action: 'studio.keep' },
    deleteAccount: { action: 'account.delete' },
    keepAccount: { action: 'account.keep' },
    allowStudios: { action: 'account.allow-studios', subject: account, details: ({ studios }) => ({ studios }) },
  }),
  ...audited(NoticeService, {
    getMail: reads,
    listNotifications: reads,
    markNotifications: new NotAudited('What an account has read is its own affair.'),
    listNoticeKinds: reads,
    setMutedKinds: { action: 'account.mute-mails', details: ({ kinds }) => ({ kinds: kinds.join(' ') }) },
    listMails: reads,
    retryMails: { action: 'store.retry-mails', details: (_, done) => ({ mails: done?.mails }) },
  }),
  ...audited(TokenService, {
    createToken: {
      action: 'token.create',
      subject: ({ name }, made) => made && { kind: 'token', id: made.tokenId, name },
      details: ({ scopes, days }, made) => (made ? { scopes: scopes.join(' '), days: days || tokenDays.usual } : {}),
    },
    listTokens: reads,
    revokeToken: {
      action: 'token.revoke',
      subject: ({ tokenId }, ended) => ({ kind: 'token', id: tokenId, name: ended?.name }),
    },
  }),
]
