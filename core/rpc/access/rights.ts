import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { AccountService } from '../../../gen/lrs/v1/accounts_pb.js'
import { AdminService } from '../../../gen/lrs/v1/admin_pb.js'
import { AuditService } from '../../../gen/lrs/v1/audit_pb.js'
import { BuildService } from '../../../gen/lrs/v1/builds_pb.js'
import { ClassService } from '../../../gen/lrs/v1/classes_pb.js'
import { ExportService } from '../../../gen/lrs/v1/exports_pb.js'
import { ForwardService } from '../../../gen/lrs/v1/forwards_pb.js'
import { GameService } from '../../../gen/lrs/v1/games_pb.js'
import { AnswerService } from '../../../gen/lrs/v1/answers_pb.js'
import { SeriousGamesService } from '../../../gen/lrs/v1/serious_games_pb.js'
import { InsightService } from '../../../gen/lrs/v1/insights_pb.js'
import { LaunchService } from '../../../gen/lrs/v1/launches_pb.js'
import { LearnerService } from '../../../gen/lrs/v1/learners_pb.js'
import { OwnDataService } from '../../../gen/lrs/v1/own_data_pb.js'
import { ProviderService } from '../../../gen/lrs/v1/providers_pb.js'
import { OperatorService } from '../../../gen/lrs/v1/operator_pb.js'
import { MemberService } from '../../../gen/lrs/v1/members_pb.js'
import { LinkService } from '../../../gen/lrs/v1/links_pb.js'
import { NoticeService } from '../../../gen/lrs/v1/notices_pb.js'
import { QuotaService } from '../../../gen/lrs/v1/quotas_pb.js'
import { ReservationService } from '../../../gen/lrs/v1/reservations_pb.js'
import { RetentionService } from '../../../gen/lrs/v1/retention_pb.js'
import { SignInService } from '../../../gen/lrs/v1/sign_in_pb.js'
import { TokenService } from '../../../gen/lrs/v1/tokens_pb.js'
import { UploadService } from '../../../gen/lrs/v1/uploads_pb.js'
import { WebhookService } from '../../../gen/lrs/v1/webhooks_pb.js'
import { personOf, requireFactor, requireRole } from '../../access/developer.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import type { Person } from '../../store/directory/studio-sessions.ts'
import type { MemberRole } from '../../studio/roles.ts'
import type { SecondFactorPolicy } from '../../studio/second-factor.ts'
import type { Call } from '../call.ts'
import { operations, streamed } from '../operations.ts'

/**
 * What a session needs to call a method: nothing (`public`, also without a session), an account (`entrance`), one that
 * has a second factor if the operator asks for one (`account` and all that follow), the role of a member or a higher
 * one, to be a developer or a reviewer (`tester`), or an admin (`admin`). `none`: no session may call it.
 */
export type Right = 'public' | 'entrance' | 'account' | 'tester' | 'admin' | MemberRole | 'none'

const rights = new Map<string, Right>()
const nameOf = ({ parent, localName }: DescMethod): string => `${parent.typeName}/${localName}`

/** Lists every method of a service; a missing method does not compile. */
function need<Service extends DescService>(
  service: Service,
  table: Readonly<Record<keyof Service['method'], Right>>,
): void {
  for (const [name, right] of Object.entries<Right>(table)) rights.set(`${service.typeName}/${name}`, right)
}

// the operations that the portal may call read statements
for (const { method, forPortal } of [...operations, ...streamed]) if (forPortal) rights.set(nameOf(method), 'analyst')

need(AccountService, {
  signUp: 'public',
  signIn: 'public',
  signOut: 'entrance',
  signOutEverywhere: 'entrance',
  changePassword: 'account',
  getAccount: 'entrance',
  updateStudio: 'developer',
  removeLogo: 'developer',
  getPublicStudio: 'public',
  createChallenge: 'public',
  contactStudio: 'public',
  listMessages: 'developer',
  deleteMessage: 'developer',
  deleteMessages: 'developer',
  discardProfileChanges: 'developer',
  // checks that the account is a reviewer
  decideProfile: 'account',
  setReviewer: 'admin',
  setTrusted: 'admin',
  resetPassword: 'none',
  listStudios: 'none',
})
// a session that still needs a second factor gets this far
need(SignInService, {
  finishSignIn: 'public',
  beginPasskeySignIn: 'public',
  signInWithPasskey: 'public',
  getSignInSettings: 'entrance',
  beginTotp: 'entrance',
  confirmTotp: 'entrance',
  removeTotp: 'entrance',
  renewRecoveryCodes: 'entrance',
  beginPasskey: 'entrance',
  addPasskey: 'entrance',
  removePasskey: 'entrance',
  beginConfirmation: 'entrance',
  confirm: 'entrance',
  listSessions: 'entrance',
  endSession: 'entrance',
  endOtherSessions: 'entrance',
  resetSecondFactor: 'none',
})
need(GameService, {
  createGame: 'developer',
  listGames: 'analyst',
  // the account's studio, or a reviewer
  getGame: 'account',
  updateGame: 'developer',
  setPlayer: 'developer',
  deleteGame: 'developer',
  describeFile: 'developer',
  moveFile: 'developer',
  removeFile: 'developer',
  submitForReview: 'developer',
  withdraw: 'developer',
  listReviews: 'account',
  decideReview: 'account',
  revealSecret: 'developer',
  rotateSecret: 'developer',
  listPublishedGames: 'public',
  getPublishedGame: 'public',
  discardChanges: 'developer',
  locateFile: 'public',
})
need(UploadService, {
  requestUpload: 'developer',
  resumeUpload: 'developer',
  finalizeUpload: 'developer',
  cancelUpload: 'developer',
  listUploads: 'developer',
  listPackagingRules: 'public',
})
need(BuildService, {
  listBuilds: 'analyst',
  promote: 'developer',
  rollBack: 'developer',
  setBetaLink: 'developer',
})
need(LaunchService, {
  listTestLearners: 'tester',
  openSandbox: 'tester',
  getSandbox: 'tester',
  observe: 'tester',
  createInvitation: 'developer',
  listInvitations: 'developer',
  revokeInvitation: 'developer',
  getInvitation: 'public',
  startPlay: 'public',
  getBeta: 'public',
  startBeta: 'public',
  endLaunch: 'public',
  getLaunch: 'public',
  getDownload: 'tester',
  checkFiles: 'none',
  getResult: 'public',
})
need(ClassService, {
  createClass: 'developer',
  addToClass: 'developer',
  listClasses: 'analyst',
  getClass: 'analyst',
  renewLinks: 'developer',
  endClass: 'developer',
  restoreClass: 'developer',
  restoreInvitation: 'developer',
})
need(ExportService, {
  exportStatements: 'analyst',
  countExport: 'analyst',
  startExport: 'analyst',
  listExports: 'analyst',
  getExport: 'analyst',
  cancelExport: 'analyst',
})
need(ForwardService, {
  listForwards: 'analyst',
  getForward: 'analyst',
  addForward: 'developer',
  changeForward: 'developer',
  testForward: 'developer',
  pauseForward: 'developer',
  sendAgain: 'developer',
  retrySetAside: 'developer',
  removeForward: 'developer',
})
need(RetentionService, { getRetention: 'developer', previewRetention: 'developer', setRetention: 'developer' })
need(InsightService, { getInsights: 'analyst' })
need(LearnerService, {
  findLearners: 'analyst',
  getLearner: 'analyst',
  listLearnerSessions: 'analyst',
  getLearnerDocument: 'analyst',
  exportGameLearner: 'analyst',
  eraseGameLearner: 'owner',
})
need(OwnDataService, {
  getOwnData: 'public',
  exportOwnData: 'public',
  askErasure: 'public',
  takeBackErasure: 'public',
  listErasureRequests: 'analyst',
  decideErasure: 'owner',
})
need(AnswerService, { getAnswers: 'analyst' })
need(SeriousGamesService, {
  listCompletables: 'analyst',
  listProgress: 'analyst',
  listReachables: 'analyst',
  listAlternatives: 'analyst',
  listTargets: 'analyst',
})
need(MemberService, {
  listMembers: 'analyst',
  inviteMember: 'owner',
  revokeMemberInvitation: 'owner',
  getMemberInvitation: 'public',
  acceptMemberInvitation: 'account',
  setMemberRole: 'owner',
  removeMember: 'owner',
  handOver: 'owner',
  leaveStudio: 'analyst',
  switchStudio: 'account',
  openStudio: 'account',
  deleteStudio: 'owner',
  keepStudio: 'owner',
  deleteAccount: 'account',
  keepAccount: 'account',
  allowStudios: 'admin',
})
need(NoticeService, {
  getMail: 'public',
  listNotifications: 'account',
  markNotifications: 'account',
  listNoticeKinds: 'account',
  setMutedKinds: 'account',
  listMails: 'admin',
  retryMails: 'admin',
})
need(LinkService, {
  sendReset: 'public',
  sendVerification: 'account',
  sendNewAddress: 'account',
  getLink: 'public',
  confirmSignUp: 'public',
  usePasswordLink: 'public',
  useAddressLink: 'public',
})
need(QuotaService, {
  listLimits: 'public',
  getUsage: 'analyst',
  getStudioUsage: 'admin',
  setQuota: 'admin',
  setGameQuota: 'none',
})
need(ProviderService, {
  listSignInProviders: 'public',
  startProviderSignIn: 'public',
  startProviderLink: 'account',
  finishProviderSignIn: 'public',
  listProviderLinks: 'account',
  removeProviderLink: 'account',
  addProvider: 'none',
  listProviders: 'none',
  setProvider: 'none',
  removeProvider: 'none',
  testProvider: 'none',
})
need(ReservationService, {
  listOwnReservations: 'analyst',
  listReservations: 'none',
  reserve: 'none',
  withdrawReservation: 'none',
})

need(OperatorService, {
  findStudios: 'admin',
  getStudio: 'admin',
  suspendStudio: 'admin',
  findAccounts: 'admin',
  suspendAccount: 'admin',
  endAccountSessions: 'admin',
  setAdmin: 'none',
  getStorage: 'admin',
  listJobs: 'admin',
  findForwards: 'admin',
})
// nothing else of the administration is for sessions
for (const method of [AdminService.method.getStatus, AdminService.method.check]) rights.set(nameOf(method), 'admin')
need(WebhookService, {
  listWebhooks: 'analyst',
  getWebhook: 'analyst',
  addWebhook: 'developer',
  changeWebhook: 'developer',
  rotateWebhookSecret: 'developer',
  testWebhook: 'developer',
  pauseWebhook: 'developer',
  getDelivery: 'analyst',
  repeatDelivery: 'developer',
  removeWebhook: 'developer',
})
need(TokenService, { createToken: 'analyst', listTokens: 'analyst', revokeToken: 'analyst' })
need(AuditService, { listOwnEntries: 'owner', listEntries: 'admin', checkEntries: 'admin' })

/** What a session needs for the method; `none` if no list has it. */
export const rightOf = (method: DescMethod): Right => rights.get(nameOf(method)) ?? 'none'

/** @throws Refusal 'forbidden' */
export function requireRight(method: DescMethod, person: Person, policy: SecondFactorPolicy): void {
  const right = rightOf(method)
  if (right === 'public' || right === 'entrance') return
  if (right === 'none') throw new Refusal('forbidden', 'No account may do this.')
  requireFactor(person, policy)
  if (right === 'account') return
  if (right === 'admin') {
    if (!person.admin) throw new Refusal('forbidden', 'Only admins may do this. "accounts admin" makes an account one.')
  } else if (right !== 'tester') requireRole(person, right)
  else if (!person.reviewer) requireRole(person, 'developer')
}

/**
 * For a method of operators: the session of an admin, or a service token of the role admin without a session.
 * @throws Refusal
 */
export async function requireAdmin(
  { services, store, notices, config }: Pick<Core, 'services' | 'store' | 'notices' | 'config'>,
  method: DescMethod,
  call: Call,
): Promise<void> {
  if (rightOf(method) !== 'admin') return
  if (call.session === undefined && services.roleOf(call.authorization) === 'admin') return
  const person = await personOf(store, call.session ?? '', notices.mail)
  call.person = person
  requireRight(method, person, config.secondFactor)
}
