import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { Health } from '../../../gen/grpc/health/v1/health_pb.js'
import { ServerReflection } from '../../../gen/grpc/reflection/v1/reflection_pb.js'
import { ServerReflection as ServerReflectionAlpha } from '../../../gen/grpc/reflection/v1alpha/reflection_pb.js'
import { AccountService } from '../../../gen/lrs/v1/accounts_pb.js'
import { AdminService } from '../../../gen/lrs/v1/admin_pb.js'
import { CellService } from '../../../gen/lrs/v1/cells_pb.js'
import { AuditService } from '../../../gen/lrs/v1/audit_pb.js'
import { BuildService } from '../../../gen/lrs/v1/builds_pb.js'
import { ClassService } from '../../../gen/lrs/v1/classes_pb.js'
import { ExportService } from '../../../gen/lrs/v1/exports_pb.js'
import { ForwardService } from '../../../gen/lrs/v1/forwards_pb.js'
import { GameService } from '../../../gen/lrs/v1/games_pb.js'
import { IdentityService } from '../../../gen/lrs/v1/identity_pb.js'
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
import { RelayService } from '../../../gen/lrs/v1/relay_pb.js'
import { ReservationService } from '../../../gen/lrs/v1/reservations_pb.js'
import { RetentionService } from '../../../gen/lrs/v1/retention_pb.js'
import { SignInService } from '../../../gen/lrs/v1/sign_in_pb.js'
import { TokenService } from '../../../gen/lrs/v1/tokens_pb.js'
import { UploadService } from '../../../gen/lrs/v1/uploads_pb.js'
import { WebhookService } from '../../../gen/lrs/v1/webhooks_pb.js'
import type { Role } from '../../config.ts'
import { Refusal } from '../../refusal.ts'
import { operations, streamed } from '../operations.ts'

/** Callers: a service with the token of a role; a game with its credential or a launch token; anybody. */
export type Who = Role | 'game' | 'anybody'

const anybody = ['anybody'] as const
const admin = ['admin'] as const
/** Methods on the data of a game: for the game itself, and for services, which may act for every game. */
const data = ['game', 'service', 'admin'] as const
/** Also for the portal, with the session of the game's studio (perform.ts). */
const seen = [...data, 'portal'] as const
/** Public, or for the studio of the session; each method checks the session itself. */
const pages = ['portal', 'admin'] as const
/** Pages of operators: with the session of an account that is an admin, which `requireAdmin` of rights.ts checks. */
const operator = ['portal', 'admin'] as const

const methods = new Map<string, readonly Who[]>()
const nameOf = ({ parent, localName }: DescMethod): string => `${parent.typeName}/${localName}`

/** Lists every method of a service with its callers; a missing method does not compile. */
function allow<Service extends DescService>(
  service: Service,
  table: Readonly<Record<keyof Service['method'], readonly Who[]>>,
): void {
  for (const [name, who] of Object.entries<readonly Who[]>(table)) methods.set(`${service.typeName}/${name}`, who)
}

allow(Health, { check: anybody, list: anybody, watch: anybody })
allow(ServerReflection, { serverReflectionInfo: anybody })
allow(ServerReflectionAlpha, { serverReflectionInfo: anybody })
allow(RelayService, { exchange: ['gateway'] })

// games call what is declared in operations.ts
for (const { method, forPortal } of [...operations, ...streamed]) methods.set(nameOf(method), forPortal ? seen : data)

allow(AccountService, {
  signUp: pages,
  signIn: pages,
  signOut: pages,
  signOutEverywhere: pages,
  changePassword: pages,
  getAccount: pages,
  updateStudio: pages,
  removeLogo: pages,
  getPublicStudio: pages,
  createChallenge: pages,
  contactStudio: pages,
  listMessages: pages,
  deleteMessage: pages,
  deleteMessages: pages,
  discardProfileChanges: pages,
  decideProfile: pages,
  setReviewer: operator,
  setTrusted: operator,
  resetPassword: admin,
  listStudios: admin,
})
allow(SignInService, {
  finishSignIn: pages,
  beginPasskeySignIn: pages,
  signInWithPasskey: pages,
  getSignInSettings: pages,
  beginTotp: pages,
  confirmTotp: pages,
  removeTotp: pages,
  renewRecoveryCodes: pages,
  beginPasskey: pages,
  addPasskey: pages,
  removePasskey: pages,
  beginConfirmation: pages,
  confirm: pages,
  listSessions: pages,
  endSession: pages,
  endOtherSessions: pages,
  resetSecondFactor: admin,
})
allow(GameService, {
  createGame: pages,
  listGames: pages,
  getGame: pages,
  updateGame: pages,
  setPlayer: pages,
  deleteGame: pages,
  describeFile: pages,
  moveFile: pages,
  removeFile: pages,
  submitForReview: pages,
  withdraw: pages,
  listReviews: pages,
  decideReview: pages,
  revealSecret: pages,
  rotateSecret: pages,
  listPublishedGames: pages,
  getPublishedGame: pages,
  discardChanges: pages,
  locateFile: pages,
})
allow(UploadService, {
  requestUpload: pages,
  resumeUpload: pages,
  finalizeUpload: pages,
  cancelUpload: pages,
  listUploads: pages,
  listPackagingRules: pages,
})
allow(BuildService, { listBuilds: pages, promote: pages, rollBack: pages, setBetaLink: pages })
allow(LaunchService, {
  listTestLearners: pages,
  openSandbox: pages,
  getSandbox: pages,
  observe: pages,
  createInvitation: pages,
  listInvitations: pages,
  revokeInvitation: pages,
  getInvitation: pages,
  startPlay: pages,
  getBeta: pages,
  startBeta: pages,
  endLaunch: pages,
  getLaunch: [...pages, 'player'],
  getDownload: pages,
  checkFiles: ['player'],
  getResult: pages,
})
allow(ClassService, {
  createClass: pages,
  addToClass: pages,
  listClasses: pages,
  getClass: pages,
  renewLinks: pages,
  endClass: pages,
  restoreClass: pages,
  restoreInvitation: pages,
})
allow(ForwardService, {
  listForwards: pages,
  getForward: pages,
  addForward: pages,
  changeForward: pages,
  testForward: pages,
  pauseForward: pages,
  sendAgain: pages,
  retrySetAside: pages,
  removeForward: pages,
})
allow(RetentionService, { getRetention: pages, previewRetention: pages, setRetention: pages })
allow(InsightService, { getInsights: pages })
allow(LearnerService, {
  findLearners: pages,
  getLearner: pages,
  listLearnerSessions: pages,
  getLearnerDocument: pages,
  exportGameLearner: pages,
  eraseGameLearner: pages,
})
allow(OwnDataService, {
  getOwnData: pages,
  exportOwnData: pages,
  askErasure: pages,
  takeBackErasure: pages,
  listErasureRequests: pages,
  decideErasure: pages,
})
allow(AnswerService, { getAnswers: pages })
allow(SeriousGamesService, {
  listCompletables: pages,
  listProgress: pages,
  listReachables: pages,
  listAlternatives: pages,
  listTargets: pages,
})
allow(ExportService, {
  exportStatements: pages,
  countExport: pages,
  startExport: pages,
  listExports: pages,
  getExport: pages,
  cancelExport: pages,
})
allow(MemberService, {
  listMembers: pages,
  inviteMember: pages,
  revokeMemberInvitation: pages,
  getMemberInvitation: pages,
  acceptMemberInvitation: pages,
  setMemberRole: pages,
  removeMember: pages,
  handOver: pages,
  leaveStudio: pages,
  switchStudio: pages,
  openStudio: pages,
  deleteStudio: pages,
  keepStudio: pages,
  deleteAccount: pages,
  keepAccount: pages,
  allowStudios: operator,
})
allow(NoticeService, {
  getMail: pages,
  listNotifications: pages,
  markNotifications: pages,
  listNoticeKinds: pages,
  setMutedKinds: pages,
  listMails: operator,
  retryMails: operator,
})
allow(LinkService, {
  sendReset: pages,
  sendVerification: pages,
  sendNewAddress: pages,
  getLink: pages,
  confirmSignUp: pages,
  usePasswordLink: pages,
  useAddressLink: pages,
})
allow(QuotaService, {
  listLimits: anybody,
  getUsage: pages,
  getStudioUsage: operator,
  setQuota: operator,
  setGameQuota: admin,
})

allow(ProviderService, {
  listSignInProviders: pages,
  startProviderSignIn: pages,
  startProviderLink: pages,
  finishProviderSignIn: pages,
  listProviderLinks: pages,
  removeProviderLink: pages,
  addProvider: admin,
  listProviders: admin,
  setProvider: admin,
  removeProvider: admin,
  testProvider: admin,
})
allow(ReservationService, {
  listOwnReservations: pages,
  listReservations: admin,
  reserve: admin,
  withdrawReservation: admin,
})

allow(OperatorService, {
  findStudios: operator,
  getStudio: operator,
  suspendStudio: operator,
  findAccounts: operator,
  suspendAccount: operator,
  endAccountSessions: operator,
  setAdmin: admin,
  getStorage: operator,
  listJobs: operator,
  findForwards: operator,
})
allow(CellService, {
  listCells: admin,
  addCell: admin,
  moveGame: admin,
  openCell: admin,
  listCellGames: admin,
  listMisplaced: admin,
  bringBack: admin,
})

allow(IdentityService, {
  createGame: admin,
  issueCredential: admin,
  rotateCredential: admin,
  revokeCredential: admin,
  mintLaunchToken: admin,
  inspectLaunchToken: admin,
  endSessions: admin,
})
allow(AdminService, {
  listCredentials: admin,
  setScopes: admin,
  getStatus: operator,
  check: operator,
  exportLearner: admin,
  eraseLearner: admin,
  shareNames: admin,
  sealSecrets: admin,
  importStatements: ['service', 'admin'],
})

allow(WebhookService, {
  listWebhooks: pages,
  getWebhook: pages,
  addWebhook: pages,
  changeWebhook: pages,
  rotateWebhookSecret: pages,
  testWebhook: pages,
  pauseWebhook: pages,
  getDelivery: pages,
  repeatDelivery: pages,
  removeWebhook: pages,
})
allow(TokenService, { createToken: pages, listTokens: pages, revokeToken: pages })
allow(AuditService, { listOwnEntries: pages, listEntries: operator, checkEntries: operator })

/** Who may call the method; nobody if no list has it. */
export const whoMayCall = (method: DescMethod): readonly Who[] => methods.get(nameOf(method)) ?? []

/** @param role of the service token; undefined: none, so it may be a game, whose credential the method checks */
export function mayCall(method: DescMethod, role: Role | undefined): boolean {
  const who = whoMayCall(method)
  return who.includes('anybody') || who.includes(role ?? 'game')
}

/** @throws Refusal */
export function admit(method: DescMethod, role: Role | undefined): void {
  if (mayCall(method, role)) return
  if (role === undefined)
    throw new Refusal('unauthenticated', 'A service token is needed: Authorization: Bearer <token>.', {
      subject: 'service-token',
    })
  const who = whoMayCall(method)
  const roles = who.filter((one) => one !== 'game').join(' or ')
  const game = who.includes('game') ? "a game's own credential, or " : ''
  throw new Refusal('forbidden', `This call needs ${game}a service token of the role ${roles}.`, {
    subject: 'service-token',
  })
}
