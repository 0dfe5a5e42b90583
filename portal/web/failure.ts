import { create } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { FailureSchema, Reason, type Failure } from '../../gen/lrs/v1/failure_pb.js'
import { rowOf } from '../../shared/reasons.ts'
import { isText } from '../../shared/texts.ts'
import type { Say, TextName } from './say.ts'

/** A refusal that does not come from core. */
export class PageFailure extends Error {
  readonly failure: Failure
  constructor(reason: Reason, message: string, { path = '', rule = '' } = {}) {
    super(message)
    this.name = 'PageFailure'
    this.failure = create(FailureSchema, { reason, message, path, rule })
  }
}

export const statusOf = ({ reason }: Failure): number => rowOf(reason).status

const unreached = 'The record store cannot be reached right now. Try again in a moment.'
const broken =
  'Something went wrong on our side. Try again. If it happens again, tell the operator of this service the time.'

/** Why something failed, as text for people: from core if it said so. */
export function failureIn(error: unknown): Failure {
  if (error instanceof PageFailure) return error.failure
  if (error instanceof ConnectError) {
    const [told] = error.findDetails(FailureSchema)
    if (told) return told
    // errors of core have a detail, so this error comes from the connection
    if (error.code !== Code.Unimplemented)
      return create(FailureSchema, { reason: Reason.UNAVAILABLE, message: unreached })
  }
  const refused = refusedByExpress(error)
  return refused ?? create(FailureSchema, { reason: Reason.INTERNAL, message: broken })
}

/** The page about a rule, such as `/limits#storage`; undefined: there is none. */
export const ruleLink = (rule: string): string | undefined =>
  /^(limits|packaging)#[\w-]+$/.test(rule) ? `/${rule}` : undefined

/** Errors with a status of 4xx that Express throws while it reads bodies and addresses. */
function refusedByExpress(error: unknown): Failure | undefined {
  const { status } = (error ?? {}) as { status?: unknown }
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined
  if (status === 413) return create(FailureSchema, { reason: Reason.TOO_LARGE, message: 'The form is too large.' })
  return create(FailureSchema, { reason: Reason.INVALID, message: 'The request cannot be read.' })
}

const toLearners: Partial<Record<Reason, TextName>> = {
  [Reason.NOT_FOUND]: 'failed.missing',
  [Reason.RATE_LIMITED]: 'failed.often',
  [Reason.UNAVAILABLE]: 'failed.away',
  [Reason.FORBIDDEN]: 'failed.proof',
}

/** A failure in the few words and the language of a learner. */
export function toLearner(say: Say, failure: Failure): Failure {
  const ofField = `failed.${failure.path}`
  const name = isText(ofField) ? ofField : (toLearners[failure.reason] ?? 'failed.other')
  return { ...failure, message: say.text(name) }
}

const toMembers: Partial<Record<Reason, TextName>> = {
  ...toLearners,
  [Reason.UNAUTHENTICATED]: 'failed.signIn',
  [Reason.NOT_FOUND]: 'failed.link',
  [Reason.FORBIDDEN]: 'failed.other',
}

/**
 * A failure in the language of a member of a studio or school: in English as core says it, else by its field.
 * @param own texts of fields that mean something else on other pages
 */
export function toMember(say: Say, failure: Failure, own: Readonly<Record<string, TextName>> = {}): Failure {
  if (say.language === 'en') return failure
  const ofField = own[failure.path] ?? `failed.${failure.path}`
  const name = isText(ofField) ? ofField : (toMembers[failure.reason] ?? 'failed.other')
  return { ...failure, message: say.text(name), further: failure.further.map((one) => toMember(say, one, own)) }
}
