import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { Health } from '../../gen/grpc/health/v1/health_pb.js'
import { ServerReflection } from '../../gen/grpc/reflection/v1/reflection_pb.js'
import { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.js'
import { AccountService } from '../../gen/lrs/v1/accounts_pb.js'
import { AdminService } from '../../gen/lrs/v1/admin_pb.js'
import { AttachmentService } from '../../gen/lrs/v1/attachments_pb.js'
import { AuditService } from '../../gen/lrs/v1/audit_pb.js'
import { DocumentService } from '../../gen/lrs/v1/documents_pb.js'
import { CellService } from '../../gen/lrs/v1/cells_pb.js'
import { ClassService } from '../../gen/lrs/v1/classes_pb.js'
import { ExportService } from '../../gen/lrs/v1/exports_pb.js'
import { GameService } from '../../gen/lrs/v1/games_pb.js'
import { IdentityService } from '../../gen/lrs/v1/identity_pb.js'
import { AnswerService } from '../../gen/lrs/v1/answers_pb.js'
import { SeriousGamesService } from '../../gen/lrs/v1/serious_games_pb.js'
import { InsightService } from '../../gen/lrs/v1/insights_pb.js'
import { LaunchService } from '../../gen/lrs/v1/launches_pb.js'
import { LearnerService } from '../../gen/lrs/v1/learners_pb.js'
import { OwnDataService } from '../../gen/lrs/v1/own_data_pb.js'
import { ProviderService, SignInProblem } from '../../gen/lrs/v1/providers_pb.js'
import { MemberService } from '../../gen/lrs/v1/members_pb.js'
import { LinkService } from '../../gen/lrs/v1/links_pb.js'
import { NoticeService } from '../../gen/lrs/v1/notices_pb.js'
import { OperatorService } from '../../gen/lrs/v1/operator_pb.js'
import { QuotaService } from '../../gen/lrs/v1/quotas_pb.js'
import { RelayService } from '../../gen/lrs/v1/relay_pb.js'
import { ReservationService } from '../../gen/lrs/v1/reservations_pb.js'
import { RetentionService } from '../../gen/lrs/v1/retention_pb.js'
import { SignInService } from '../../gen/lrs/v1/sign_in_pb.js'
import { StatementService } from '../../gen/lrs/v1/statements_pb.js'
import { TokenService } from '../../gen/lrs/v1/tokens_pb.js'
import { UploadKind, UploadService } from '../../gen/lrs/v1/uploads_pb.js'
import { detailsOf } from './export-form.ts'
import { tokenDays } from '../studio/token-scopes.ts'
import {
  account,
  credential,
  erasure,
  exported,
  game,
  limitOf,
  member,
  NotAudited,
  notYet,
  numberOf,
  ofFile,
  ofGame,
  ofStudio,
  prefix,
  reads,
  roleOf,
  scopes,
  session,
  studio,
  traffic,
  type Entry,
  type Table,
} from './audit-entries.ts'

const methods = new Map<string, Entry<never, never> | NotAudited>()

/** Lists every method of a service; a missing one does not compile. */
function audit<Service extends DescService>(service: Service, table: Table<Service>): void {
  for (const [name, entry] of Object.entries(table)) methods.set(`${service.typeName}/${name}`, entry as NotAudited)
}

audit(Health, { check: reads, list: reads, watch: reads })
audit(ServerReflection, { serverReflectionInfo: reads })
audit(ServerReflectionAlpha, { serverReflectionInfo: reads })
audit(RelayService, { exchange: traffic })
audit(StatementService, {
  storeStatements: traffic,
  storeStatementsStream: traffic,
  getStatement: exported,
  queryStatements: exported,
  follow: exported,
  getPerson: exported,
  getActivity: traffic,
})
audit(AttachmentService, { storeWithAttachments: traffic, getAttachment: exported })
audit(DocumentService, {
  putDocument: traffic,
  getDocument: exported,
  listDocuments: traffic,
  deleteDocument: traffic,
  deleteDocuments: traffic,
})
audit(AccountService, {
  signUp: { action: 'account.sign-up', subject: account, signsIn: true },
  signIn: {
    action: 'account.sign-in',
    subject: account,
    signsIn: true,
    details: (_, done) => ({ 'second step': done?.pending ? 'follows' : undefined }),
  },
  signOut: { action: 'account.sign-out' },
  signOutEverywhere: { action: 'account.sign-out-everywhere', details: (_, ended) => ({ sessions: ended?.sessions }) },
  changePassword: { action: 'account.change-password' },
  getAccount: reads,
  updateStudio: { action: 'studio.update' },
  removeLogo: { action: 'studio.remove-logo' },
  getPublicStudio: reads,
  createChallenge: reads,
  contactStudio: new NotAudited('The message itself is kept; its limit counts the sender.'),
  listMessages: reads,
  deleteMessage: { action: 'studio.delete-messages', details: () => ({ messages: 1 }) },
  deleteMessages: { action: 'studio.delete-messages', details: ({ messageIds }) => ({ messages: messageIds.length }) },
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
})
audit(SignInService, {
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
})
audit(GameService, {
  createGame: { action: 'game.create', subject: (_, made) => made && game(made) },
  listGames: reads,
  getGame: reads,
  updateGame: ofGame('game.update'),
  deleteGame: ofGame('game.delete'),
  describeFile: ofFile('game.describe-file'),
  moveFile: ofFile('game.move-file'),
  removeFile: ofFile('game.remove-file'),
  submitForReview: ofGame('game.submit'),
  withdraw: ofGame('game.withdraw'),
  listReviews: reads,
  decideReview: { ...ofGame('game.decide-review'), details: ({ approved, buildId }) => ({ approved, build: buildId }) },
  revealSecret: ofGame('credential.reveal'),
  rotateSecret: ofGame('credential.rotate'),
  listPublishedGames: reads,
  getPublishedGame: reads,
  discardChanges: ofGame('game.discard-changes'),
  locateFile: reads,
})
audit(UploadService, {
  requestUpload: notYet,
  resumeUpload: notYet,
  finalizeUpload: {
    action: 'game.upload',
    subject: (_, done) => (done?.gameId ? game(done) : undefined),
    details: ({ uploadId }, done) => ({
      upload: uploadId,
      file: done?.id,
      kind: done && UploadKind[done.kind]?.toLowerCase(),
    }),
  },
  cancelUpload: notYet,
  listUploads: reads,
  listPackagingRules: reads,
})
audit(LaunchService, {
  listTestLearners: reads,
  openSandbox: session,
  getSandbox: reads,
  observe: reads,
  createInvitation: ofGame('invitation.create'),
  listInvitations: reads,
  revokeInvitation: {
    ...ofGame('invitation.revoke'),
    details: ({ invitationId }) => ({ invitation: invitationId }),
  },
  getInvitation: reads,
  startPlay: session,
  endLaunch: session,
  getLaunch: reads,
})
const ofClass = (action: string) => ({
  ...ofGame(action),
  details: ({ classId }: { classId: string }) => ({ class: classId }),
})
audit(ClassService, {
  createClass: {
    ...ofGame('invitation.create-class'),
    details: ({ learnerNames, nicknames }, made) => ({
      class: made?.classId,
      learners: learnerNames.length + nicknames,
    }),
  },
  addToClass: {
    ...ofGame('invitation.extend-class'),
    details: ({ classId, learnerNames, nicknames }) => ({ class: classId, learners: learnerNames.length + nicknames }),
  },
  listClasses: reads,
  getClass: reads,
  renewLinks: {
    ...ofGame('invitation.renew-links'),
    details: ({ invitationIds }) => ({ invitations: invitationIds.length }),
  },
  endClass: ofClass('invitation.end-class'),
  restoreClass: ofClass('invitation.restore-class'),
  restoreInvitation: {
    ...ofGame('invitation.restore'),
    details: ({ invitationId }) => ({ invitation: invitationId }),
  },
})
audit(ExportService, {
  exportStatements: { action: 'statements.export' },
  countExport: reads,
  startExport: { ...ofGame('statements.export'), details: (request) => ({ ...detailsOf(request), job: true }) },
  listExports: reads,
  getExport: reads,
  cancelExport: { action: 'statements.cancel-export', details: ({ exportId }, done) => ({ export: done && exportId }) },
})
audit(RetentionService, {
  getRetention: reads,
  previewRetention: reads,
  setRetention: {
    ...ofGame('game.set-retention'),
    details: ({ retention }) => ({
      'statement months': retention?.statementMonths || 'for good',
      'learner months': retention?.learnerMonths || 'for good',
      'sandbox months': retention?.sandboxMonths || 'for good',
    }),
  },
})
audit(InsightService, { getInsights: reads })
audit(LearnerService, {
  findLearners: reads,
  getLearner: reads,
  listLearnerSessions: reads,
  getLearnerDocument: reads,
  exportGameLearner: { action: 'learner.export', subject: game },
  eraseGameLearner: {
    ...erasure,
    details: (_, done) => erasure.details(_, done?.receipt),
    subject: game,
  },
})
audit(OwnDataService, {
  getOwnData: reads,
  exportOwnData: { action: 'learner.export-own' },
  askErasure: { action: 'learner.ask-erasure', details: (_, done) => ({ request: done?.request?.requestId }) },
  takeBackErasure: { action: 'learner.take-back-erasure' },
  listErasureRequests: reads,
  decideErasure: {
    action: 'learner.decide-erasure',
    subject: game,
    details: ({ requestId, erase }, done) => ({
      request: requestId,
      decision: erase ? 'erased' : 'refused',
      ...(erase ? { receipt: done?.receipt?.receiptId, statements: numberOf(done?.receipt?.statements) } : {}),
    }),
  },
})
audit(AnswerService, { getAnswers: reads })
audit(SeriousGamesService, {
  listCompletables: reads,
  listProgress: reads,
  listReachables: reads,
  listAlternatives: reads,
  listTargets: reads,
})
audit(MemberService, {
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
})
audit(QuotaService, {
  listLimits: reads,
  getUsage: reads,
  getStudioUsage: reads,
  setQuota: {
    action: 'studio.set-quota',
    subject: studio,
    details: ({ name, limit }) => ({ quota: name, limit: limitOf(limit) }),
  },
  setGameQuota: { ...ofGame('game.set-quota'), details: ({ limit }) => ({ limit: limitOf(limit) }) },
})
const begun = new NotAudited('It only begins: FinishProviderSignIn is audited.')
audit(ProviderService, {
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
})
audit(ReservationService, {
  listOwnReservations: reads,
  listReservations: reads,
  reserve: { action: 'studio.reserve-prefix', subject: studio, details: ({ prefix }) => ({ prefix }) },
  withdrawReservation: { action: 'studio.withdraw-prefix', subject: prefix },
})
audit(CellService, {
  listCells: reads,
  listCellGames: reads,
  addCell: { action: 'cell.add', details: ({ server }, added) => ({ cell: added?.number, server: added && server }) },
  openCell: { action: 'cell.open', details: ({ cell, open }) => ({ cell, open }) },
  moveGame: { ...ofGame('game.move'), details: ({ cell }, moved) => ({ cell, from: moved?.from }) },
})
audit(IdentityService, {
  createGame: { action: 'game.create', subject: (_, made) => made && game(made) },
  issueCredential: { ...ofGame('credential.issue'), details: scopes },
  rotateCredential: { action: 'credential.rotate', subject: credential },
  revokeCredential: { action: 'credential.revoke', subject: credential },
  mintLaunchToken: { action: 'credential.mint-launch-token', subject: credential },
  inspectLaunchToken: reads,
  endSessions: { action: 'learner.end-sessions', details: (_, done) => ({ sessions: done?.ended }) },
})
audit(AdminService, {
  listCredentials: reads,
  setScopes: { action: 'credential.set-scopes', subject: credential, details: scopes },
  getStatus: reads,
  check: reads,
  // the log names no learner: neither those whose data was exported nor those who were erased
  exportLearner: { action: 'learner.export' },
  eraseLearner: erasure,
  shareNames: { action: 'store.share-names' },
  sealSecrets: { action: 'store.seal-secrets' },
  importStatements: {
    action: 'statements.import',
    details: (_, done) => ({ stored: numberOf(done?.stored), skipped: numberOf(done?.skipped) }),
  },
})
audit(NoticeService, {
  getMail: reads,
  listNotifications: reads,
  markNotifications: new NotAudited('What an account has read is its own affair.'),
  listNoticeKinds: reads,
  setMutedKinds: { action: 'account.mute-mails', details: ({ kinds }) => ({ kinds: kinds.join(' ') }) },
  listMails: reads,
  retryMails: { action: 'store.retry-mails', details: (_, done) => ({ mails: done?.mails }) },
})
audit(LinkService, {
  sendReset: { action: 'account.send-reset', subject: account },
  sendVerification: { action: 'account.send-verification' },
  sendNewAddress: { action: 'account.send-new-address' },
  getLink: reads,
  confirmSignUp: { action: 'account.confirm-sign-up', subject: (_, made) => made && account(made), signsIn: true },
  usePasswordLink: { action: 'account.use-password-link', subject: (_, used) => used && account(used) },
  useAddressLink: { action: 'account.use-address-link', subject: (_, used) => used && account(used) },
})
audit(OperatorService, {
  findStudios: reads,
  getStudio: reads,
  suspendStudio: {
    action: 'studio.suspend',
    subject: studio,
    details: ({ suspended }) => ({ suspended }),
  },
  findAccounts: reads,
  suspendAccount: {
    action: 'account.suspend',
    subject: ({ accountId }) => ({ kind: 'account', id: accountId }),
    details: ({ suspended }) => ({ suspended }),
  },
  endAccountSessions: {
    action: 'account.end-sessions',
    subject: ({ accountId }) => ({ kind: 'account', id: accountId }),
    details: (_, done) => ({ sessions: done?.sessions }),
  },
  setAdmin: { action: 'account.set-admin', subject: account, details: ({ admin }) => ({ admin }) },
  getStorage: reads,
  listJobs: reads,
})
audit(TokenService, {
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
})
audit(AuditService, { listOwnEntries: reads, listEntries: reads })

/** What is kept of the method; undefined: it is not in the table. */
export const auditedAs = ({ parent, localName }: DescMethod) =>
  methods.get(`${parent.typeName}/${localName}`) as Entry<unknown, unknown> | NotAudited | undefined

export const isAudited = (entry: ReturnType<typeof auditedAs>): entry is Entry<unknown, unknown> =>
  entry !== undefined && !(entry instanceof NotAudited)

/** Every action of the table, sorted. */
export const auditedActions = (): string[] =>
  [
    ...new Set(
      [...methods.values()]
        .filter((entry) => !(entry instanceof NotAudited))
        .map((entry) => (entry as Entry<never, never>).action),
    ),
  ].toSorted()
