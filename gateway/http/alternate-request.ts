import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import type { BodyBudget } from '../load/body-budget.ts'
import { readBody } from './body.ts'
import { invalid, refusal } from './failure.ts'
import { decode, readParameters } from './parameters.ts'
import type { Action } from '../resource.ts'
import { isIeee } from './version.ts'

/** What a request asks for, whichever way it says so. */
export interface EffectiveRequest {
  method: string
  /** Path and query. */
  target: string
  headers: IncomingHttpHeaders
  /** Where a form says what is meant: its field `content`, empty when it has none. */
  content?: Buffer
}

/** Two megabytes of statements, each byte as %XX, and what stands beside them. */
const maxForm = 6.5 * 1024 * 1024
const maxFields = 100
const methodOnly = { method: { required: true, pattern: /^(?:GET|PUT|POST|DELETE)$/, expected: 'GET, PUT, POST or DELETE' } } as const
/** Fields that stand for headers. */
const headerNames = ['authorization', 'x-experience-api-version', 'content-type', 'content-length', 'if-match', 'if-none-match']
/** Browsers that cannot set headers send the form without its type. */
const formType = /^(?:application\/x-www-form-urlencoded|text\/plain)[ \t]*(?:;|$)/i

/** Whether a POST names another method in its query, which makes its body a form that holds the request. */
export function isAlternate({ method, url }: IncomingMessage): boolean {
  return method === 'POST' && /[?&]method=/.test(url!)
}

/** The form of a request in the alternate syntax; its length counts in `budget`. Throws a Refusal, also for another type. */
export function readForm(request: IncomingMessage, response: ServerResponse, budget: BodyBudget): Promise<Buffer> {
  if (formType.test(request.headers['content-type'] ?? 'text/plain')) return readBody(request, response, maxForm, budget)
  throw invalid('Content-Type', 'must be application/x-www-form-urlencoded where the query names a method')
}

/**
 * The request that a form stands for (xAPI 1.0.3 Communication 1.3): fields named like headers count as these, `content`
 * as the body, in JSON unless the field Content-Type says otherwise, all others as the query. Throws a Refusal.
 */
export function effectiveRequest({ url, headers: sent }: IncomingMessage, form: Buffer): EffectiveRequest {
  const { method } = readParameters(url!, methodOnly)
  const { 'content-type': _type, ...headers }: IncomingHttpHeaders = sent
  const query: string[] = []
  const seen = new Set<string>()
  let content: Buffer = Buffer.alloc(0)
  const fields = form.toString('latin1').split('&', maxFields + 1)
  if (fields.length > maxFields) throw invalid('form', `must have at most ${maxFields} fields`)
  for (const field of fields) {
    const equals = field.indexOf('=')
    const name = equals === -1 ? '' : decode(field.slice(0, equals), 'form')
    const known = name === 'content' ? name : headerNames.find((one) => one === name.toLowerCase())
    if (known === undefined) {
      query.push(field)
      continue
    }
    if (seen.has(known)) throw invalid(name, 'this field is given more than once')
    seen.add(known)
    const value = decode(field.slice(equals + 1), name)
    if (known === 'content') content = Buffer.from(value)
    else headers[known] = value
  }
  if (isIeee(headers['x-experience-api-version'] as string | undefined ?? '')) {
    throw invalid('method', 'no parameter of version 2.0, which has no alternate request syntax')
  }
  if (content.length > 0) headers['content-type'] ??= 'application/json'
  return { method: method!, target: `?${query.join('&')}`, headers, content }
}

/** The body that a form carries for the action. Throws a Refusal when it is missing, too large or not for a form. */
export function contentFor({ body }: Action, headers: IncomingHttpHeaders, content: Buffer): Buffer {
  if (body === undefined) {
    if (content.length > 0) throw invalid('content', 'this method takes none')
    return content
  }
  if (content.length === 0) throw invalid('content', 'this field is required: the body of the request, percent-encoded')
  if (content.length > body.limit) throw refusal(Reason.TOO_LARGE)
  body.check(headers)
  if (body.streams?.(headers)) throw invalid('Content-Type', 'attachments cannot be sent in a form')
  return content
}
