import type { DescMethod, MessageShape } from '@bufbuild/protobuf'
import type { EraseLearnerResponse } from '../../../gen/lrs/v1/admin_pb.js'
import { Scope } from '../../../gen/lrs/v1/identity_pb.js'
import { MemberRole } from '../../../gen/lrs/v1/members_pb.js'
import type { Subject } from '../../accounts/command/audit-entry.ts'
import type { AuditDetails } from '../../accounts/store/audit.ts'
import { keptAddress } from '../rules/email.ts'

/**
 * What the audit log keeps of a method: ids, numbers and choices, never a secret and never free text.
 * Without a response the call was refused; without a request it is a stream.
 */
export interface Entry<Request, Response> {
  readonly action: string
  readonly subject?: (request: Request, response?: Response) => Subject | undefined
  readonly details?: (request: Request, response?: Response) => AuditDetails
  /** A call like this is none, although the method has an entry. */
  readonly unless?: (request: Request) => boolean
  /** The answer says no. */
  readonly isRefused?: (response: Response) => boolean
  /** It belongs to the studio for which the actor works, even if the subject belongs to another studio. */
  readonly inStudio?: true
  /** The account that signs in by this call is its subject, if the answer has a session. */
  readonly signsIn?: true
  /**
   * Only if an admin or a personal token reads: they export. Games and services read all day. Counted by the minute.
   */
  readonly exports?: true
}

export type EntryOf<Method extends DescMethod> = Entry<MessageShape<Method['input']>, MessageShape<Method['output']>>

export class NotAudited {
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

export const reads = new NotAudited('It changes nothing.')
export const traffic = new NotAudited('Traffic of games: statements, documents and attachments are records themselves.')
export const session = new NotAudited('It starts or ends one session in the player; what the session does is traffic.')
export const notYet = new NotAudited('It only prepares: FinalizeUpload changes something, and is audited.')
export const exported = { action: 'statements.read', exports: true } as const

export const game = ({ gameId }: { gameId: string }): Subject => ({ kind: 'game', id: gameId })
export const account = ({ email }: { email: string }): Subject => ({
  kind: 'account',
  id: keptAddress(email),
})
export const studio = (request: { studio: string }): Subject => ({ kind: 'studio', id: request.studio })
export const credential = ({ key }: { key: string }): Subject => ({ kind: 'credential', id: key })
export const prefix = (request: { prefix: string }): Subject => ({ kind: 'prefix', id: request.prefix })
export const ofGame = (action: string) => ({ action, subject: game })
export const ofFile = (action: string) => ({
  ...ofGame(action),
  details: ({ fileId }: { fileId: string }) => ({ file: fileId }),
})
export const member = (action: string) => ({
  action,
  // a refused call names nobody
  subject: ({ accountId }: { accountId: string }, done?: object) =>
    done && ({ kind: 'account', id: accountId } satisfies Subject),
  inStudio: true as const,
})
export const roleIn = ({ role }: { role: MemberRole }) => ({ role: (MemberRole[role] ?? '').toLowerCase() })
export const ofStudio = (action: string) => ({
  action,
  subject: (_: unknown, done?: { studioId: string }) =>
    done && ({ kind: 'studio', id: done.studioId } satisfies Subject),
})
/** Host and port of a target, if the call was served: a URL may hold more than an audit log should. */
export const hostOf = (url: string | undefined, done: object | undefined) =>
  done && url ? (URL.parse(url)?.host ?? undefined) : undefined
/** The host that a target has now, and the one that it had before. */
export const hosts = (before: string, now: string) => {
  const [host, old] = [hostOf(now, {}), hostOf(before, {})]
  return host === old ? { host } : { host, 'host before': old }
}
export const scopes = ({ scopes }: { scopes: readonly Scope[] }) => ({
  scopes: scopes.map((scope) => (Scope[scope] ?? '').toLowerCase()).join(' ') || 'usual',
})
export const numberOf = (value: bigint | undefined) => (value === undefined ? undefined : Number(value))
export const limitOf = (limit: bigint | undefined) => (limit === undefined ? 'usual' : Number(limit))
export const erasure = {
  action: 'learner.erase',
  details: (_: unknown, done?: EraseLearnerResponse) => ({
    receipt: done?.receiptId,
    statements: numberOf(done?.statements),
    games: numberOf(done?.games),
  }),
  unless: ({ preview }: { preview: boolean }) => preview,
}
