import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { expectNoEncoding, readBody, type BodyReader } from './body.ts'
import { invalid, refusal } from './failure.ts'
import { decode, readParameters } from './head.ts'
import { isIeee } from '../../shared/headers.ts'
import type { Action } from '../resource.ts'

/** The request to answer: from its own line, headers and body, or from a form. */
export interface EffectiveRequest {
  method: string
  /** Path and query. */
  target: string
  headers: IncomingHttpHeaders
  /** The field `content` of a form, percent-encoded; '' when it has none. Undefined: the request is no form. */
  content?: string
}

/** 2 MB of statements, each byte as %XX, and the other fields. */
const maxForm = 6.5 * 1024 * 1024
const maxFields = 100
/** Of a field beside `content`: as much as all headers together. */
const maxField = 32 * 1024
const methodOnly = {
  method: { required: true, pattern: /^(?:GET|PUT|POST|DELETE)$/, expected: 'GET, PUT, POST or DELETE' },
} as const
/** Fields that stand for headers. */
const headerNames = [
  'authorization',
  'x-experience-api-version',
  'content-type',
  'content-length',
  'if-match',
  'if-none-match',
]
/** Browsers that cannot set headers send the form as text/plain, or without a type. */
const formType = /^(?:application\/x-www-form-urlencoded|text\/plain)[ \t]*(?:;|$)/i

/** Whether a POST names a method in its query: then its body is a form that holds the request. */
export function isAlternate({ method, url }: IncomingMessage): boolean {
  return method === 'POST' && /[?&]method=/.test(url!)
}

/**
 * Reads the form of a request in the alternate syntax; its length counts in the budget. It is never inflated: only its
 * end may tell who sends it. Throws an HttpRefusal.
 */
export function readForm(request: IncomingMessage, response: ServerResponse, reader: BodyReader): Promise<Buffer> {
  expectNoEncoding(request, 'a form')
  if (formType.test(request.headers['content-type'] ?? 'text/plain'))
    return readBody(request, response, maxForm, reader)
  throw invalid('Content-Type', 'must be application/x-www-form-urlencoded where the query names a method')
}

/**
 * The request in a form (xAPI 1.0.3 Communication 1.3). A field with the name of a header is that header; `content` is
 * the body, JSON unless the field Content-Type says otherwise; all other fields are the query. Throws an HttpRefusal.
 */
export function effectiveRequest({ url, headers: sent }: IncomingMessage, form: Buffer): EffectiveRequest {
  const { method } = readParameters(url!, methodOnly)
  const { 'content-type': _type, ...headers }: IncomingHttpHeaders = sent
  const query: string[] = []
  const seen = new Set<string>()
  let content = ''
  const fields = form.toString('latin1').split('&', maxFields + 1)
  if (fields.length > maxFields) throw invalid('form', `must have at most ${maxFields} fields`)
  for (const field of fields) {
    const equals = field.indexOf('=')
    const name = equals === -1 || equals > maxField ? '' : decode(field.slice(0, equals), 'form')
    const known = name === 'content' ? name : headerNames.find((one) => one === name.toLowerCase())
    if (known === undefined) {
      query.push(field)
      continue
    }
    if (seen.has(known)) throw invalid(name, 'this field is given more than once')
    seen.add(known)
    const value = field.slice(equals + 1)
    if (known === 'content') content = value
    else if (value.length > maxField) throw invalid(name, 'this field is too long')
    else headers[known] = decode(value, name)
  }
  if (isIeee((headers['x-experience-api-version'] as string | undefined) ?? '')) {
    throw invalid('method', 'version 2.0 has no alternate request syntax, so it has no such parameter')
  }
  if (content.length > 0) headers['content-type'] ??= 'application/json'
  return { method: method!, target: `?${query.join('&')}`, headers, content }
}

/** The body from a form. Throws an HttpRefusal when it is missing, too large, or of a type that cannot be in a form. */
export function contentFor({ body }: Action, headers: IncomingHttpHeaders, encoded: string): Buffer {
  const content = Buffer.from(decode(encoded, 'content'))
  if (body === undefined) {
    if (content.length > 0) throw invalid('content', 'must be omitted, since this method has no body')
    return content
  }
  if (content.length === 0) throw invalid('content', 'this field is required: the body of the request, percent-encoded')
  if (content.length > body.limit) throw refusal(Reason.TOO_LARGE)
  body.check(headers)
  if (body.streams?.(headers)) throw invalid('Content-Type', 'attachments cannot be sent in a form')
  return content
}
