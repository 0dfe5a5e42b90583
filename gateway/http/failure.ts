import type { Failure } from '../../gen/lrs/v1/failure_pb.js'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { rowOf } from '../../shared/reasons.ts'
import { said, type Said, type Words } from '../../shared/say.ts'

/** What is wrong with one statement of a batch; `index` counts from 0. */
interface Fault {
  index: number
  path: string
  message: string
}

/** A refusal of a request, thrown at any stage and answered as JSON. */
export class HttpRefusal extends Error {
  override name = 'HttpRefusal'
  readonly status: number
  /** JSON of the answer. */
  readonly body: string
  /** Further headers: name, value, name, value … */
  readonly headers: readonly string[]
  readonly reason: Reason
  readonly path: string
  /** Path and message without what came from outside; core keeps only these. */
  readonly form: { readonly path: string; readonly message: string }
  /** Core refused the request, so it need not be reported to core. */
  readonly byCore: boolean

  constructor(
    status: number,
    body: { message: string; path?: string; faults?: readonly Fault[] } | { error: string },
    headers: readonly string[] = [],
    {
      reason = Reason.INVALID,
      byCore = false,
      form,
    }: { reason?: Reason; byCore?: boolean; form?: HttpRefusal['form'] } = {},
  ) {
    // nobody reads the stack, and making it would take longer than the rest of a refusal
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super('message' in body ? body.message : body.error)
    Error.stackTraceLimit = stackTraceLimit
    this.status = status
    this.reason = reason
    this.path = 'path' in body ? (body.path ?? '') : ''
    this.byCore = byCore
    this.form = form ?? { path: this.path, message: this.message }
    this.body = JSON.stringify(body)
    // RFC 9110 requires a challenge with 401; for `Basic`, browsers would open their own dialog over the game
    this.headers = status === 401 ? ['WWW-Authenticate', 'Bearer realm="xAPI"', ...headers] : headers
  }
}

/** A refusal by reason: the gateway's own, or core's. `path` locates the input; the message contains it, too. */
export function refusal(
  reason: Reason,
  message = '',
  path = '',
  byCore = false,
  form?: HttpRefusal['form'],
  faults?: readonly Fault[],
): HttpRefusal {
  const row = rowOf(reason)
  const told = { reason, byCore, form }
  if (row.error !== undefined) return new HttpRefusal(row.status, { error: row.error }, [], told)
  const said = row.message ?? (message || 'The request was refused')
  if (path === '') return new HttpRefusal(row.status, { message: said }, [], told)
  return new HttpRefusal(
    row.status,
    { message: said.includes(path) ? said : `${path}: ${said}`, path, faults },
    [],
    told,
  )
}

/** The refusal for a failure that core answered. */
export function refusalOf(failure: Failure): HttpRefusal {
  return refusal(failure.reason, failure.message, failure.path, true, undefined, faultsOf(failure))
}

/** The bad statements of a batch; undefined: the refusal is about something else. */
function faultsOf(failure: Failure): readonly Fault[] | undefined {
  if (!inBatch.test(failure.path)) return undefined
  return [failure, ...failure.further].map(({ path, message }) => ({
    index: Number(inBatch.exec(path)?.[1]),
    path,
    message,
  }))
}

const inBatch = /^statements\[(\d+)\]/

/** A 400 about one parameter, header or member of the input. */
export function invalid<T extends string>(path: string | Said, what: Words<T>): HttpRefusal {
  const { text: where, form: place } = said(path)
  const { text, form } = said(what)
  return refusal(Reason.INVALID, `${where}: ${text}`, where, false, { path: place, message: `${place}: ${form}` })
}

/** A value from outside, quoted for a message. */
export function shown(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
}
