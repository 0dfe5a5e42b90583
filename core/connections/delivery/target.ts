import type { Core } from '../../context.ts'
import { isBrokenOff, OutgoingError } from '../../process/outgoing/outgoing-error.ts'
import type { OutgoingRequest, OutgoingResponse } from '../../process/outgoing/web-call.ts'
import { authorizationOf, type ForwardCredential } from '../rules/forward.ts'
import { rulesFor } from '../../records/xapi/dialect.ts'
import { differenceOf } from '../../records/xapi/equivalence.ts'
import { parse } from '../../records/xapi/json.ts'
import type { Statement } from '../../records/xapi/types.ts'
import { forwards as limits } from '../../../shared/limits.ts'

/** The target did not take what it was sent, and may take it later. */
export class TargetFailure extends Error {
  override name = 'TargetFailure'
  readonly retryAfter: string | undefined

  constructor(message: string, retryAfter?: string) {
    super(message)
    this.retryAfter = retryAfter
  }
}

/** It has answered statements with 500: it is ill, or one of them is more than it can bear. */
export class ServerError extends TargetFailure {
  override name = 'ServerError'
  readonly answer: { readonly status: 500; readonly refused: string }

  constructor(message: string, retryAfter: string | undefined, said: string) {
    super(message, retryAfter)
    this.answer = { status: 500, refused: refusal(500, said) }
  }
}

const refusal = (status: number, said: string): string => `${status}: ${said || 'no reason was given'}`

/** What the target says of some statements. */
export type Answer = 'taken' | 'too large' | { readonly status: 400 | 409 | 422; readonly refused: string }

export interface Sent {
  readonly body: string | Uint8Array
  readonly contentType: string
  /** Ids of the statements. */
  readonly ids: readonly string[]
}

/** Another learning record store, as this one calls it. */
export function target(
  deliveries: Core['deliveries'],
  { endpoint, version }: { readonly endpoint: string; readonly version: string },
  credential: ForwardCredential,
) {
  const authorization = authorizationOf(credential)
  const host = URL.parse(endpoint)?.host ?? ''
  const call = (path: string, request: Omit<OutgoingRequest, 'url'> = {}): Promise<OutgoingResponse> =>
    deliveries.guardedFetch({
      ...request,
      url: `${endpoint}${path}`,
      headers: {
        ...request.headers,
        accept: 'application/json',
        'user-agent': 'games-lrs',
        'x-experience-api-version': version,
        ...(authorization !== undefined && { authorization }),
      },
    })
  /** Nothing of a page in a network of the operator that is no learning record store. */
  const said = ({ headers, body, isPublic }: OutgoingResponse): string =>
    isPublic || /^\d/.test(headers['x-experience-api-version'] ?? '') ? saidBy(body, credential) : ''

  /** @throws TargetFailure */
  function failed(answer: OutgoingResponse, isPost = false): never {
    const { status, headers } = answer
    const text = said(answer)
    const message = `${host} answered ${status}${meaning(status)}${text === '' ? '' : `: ${text}`}`
    if (status === 500 && isPost) throw new ServerError(message, headers['retry-after'], text)
    throw new TargetFailure(message, headers['retry-after'])
  }

  const noEndpoint = (path: string, { status }: OutgoingResponse): string =>
    `${host}${pathOf(endpoint)}${path} answered ${status}${meaning(status)}. Is this the xAPI endpoint?`

  /** The statement that the target has under this id; undefined: none. @throws TargetFailure */
  async function find(id: string): Promise<unknown> {
    for (const name of ['statementId', 'voidedStatementId']) {
      const answer = await call(`/statements?${name}=${id}`)
      const found = answer.status === 200 ? oneOf(readJson(answer.body)) : undefined
      if (found !== undefined) return found
      if (answer.status !== 200 && answer.status !== 404) failed(answer)
    }
    return undefined
  }

  return {
    /** @throws TargetFailure, ServerError, OutgoingError */
    async post({ body, contentType, ids }: Sent): Promise<Answer> {
      const answer = await call('/statements', { method: 'POST', body, headers: { 'content-type': contentType } })
      const { status } = answer
      if (status === 200 || status === 204) {
        if (status === 204 || isOfIds(answer.body, ids)) return 'taken'
        throw new TargetFailure(
          `${host} answered ${status}, but not with a list of ids of the statements: is it an xAPI endpoint?`,
        )
      }
      if (status === 413) return 'too large'
      if (status === 400 || status === 409 || status === 422) return { status, refused: refusal(status, said(answer)) }
      return failed(answer, true)
    },

    /** Whether the target has this very statement already. @throws TargetFailure, OutgoingError */
    async has(id: string, statement: Statement): Promise<boolean> {
      const found = await find(id)
      try {
        return (
          found !== undefined &&
          differenceOf(statement, found as Statement, rulesFor('1.0.3', 'xapi', 'shared')) === undefined
        )
      } catch {
        // what another system says may be anything
        return false
      }
    },

    /**
     * Why it cannot take statements with this credential; undefined: it can. It stores nothing.
     * @param inFull for operators
     */
    async problem(inFull: boolean): Promise<string | undefined> {
      try {
        const about = await call('/about')
        // some stores take statements and have no such page
        const hasAbout = about.status !== 404 && about.status !== 405
        if (hasAbout && about.status !== 200) return noEndpoint('/about', about)
        const versions = hasAbout ? versionsIn(about.body) : [version]
        if (!versions.some((one) => one.startsWith(version.slice(0, 4))))
          return versions.length === 0
            ? `${host} does not say which versions of xAPI it takes. Is this the xAPI endpoint?`
            : `${host} takes xAPI ${versions.join(', ')}, not ${version}. Choose another version.`
        const read = await call('/statements?limit=1')
        if (read.status === 404 || read.status === 405) return noEndpoint('/statements', read)
        if (read.status !== 200) failed(read)
        // without the page any web site would do
        if (!hasAbout && !isList(read.body))
          return `${host} answers, but with no statements. Is this the xAPI endpoint?`
        return undefined
      } catch (error) {
        if (error instanceof OutgoingError && !inFull && !isBrokenOff(error)) return error.told
        if (error instanceof OutgoingError || error instanceof TargetFailure) return error.message
        throw error
      }
    },
  }
}

export type Target = ReturnType<typeof target>

const pathOf = (endpoint: string): string => (URL.parse(endpoint)?.pathname ?? '').replace(/\/$/, '')

const meanings: Readonly<Record<number, string>> = {
  401: ' (the credential is wrong)',
  403: ' (the credential may not do this)',
  404: ' (there is nothing at this address)',
  429: ' (too many requests)',
}

function meaning(status: number): string {
  if (status >= 300 && status < 400) return ' (a redirect, which is not followed)'
  return meanings[status] ?? ''
}

/** What a target wrote, in one line and without the credential that it may repeat. */
function saidBy(body: Uint8Array, credential: ForwardCredential): string {
  const text = Buffer.from(body.subarray(0, 20 * limits.said)).toString()
  const authorization = authorizationOf(credential)
  const secrets = [authorization?.split(' ')[1], ...Object.values(credential ?? {})]
  const clean = secrets
    .filter((secret) => secret !== undefined && secret.length >= 4)
    .reduce<string>((found, secret) => found.replaceAll(secret!, '…'), text)
  return clean
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, limits.said)
}

/** Some stores answer with a list, though a single statement was asked for; it may be empty. */
function oneOf(found: unknown): unknown {
  const { statements } = (found ?? {}) as { statements?: unknown }
  return Array.isArray(statements) ? statements[0] : found
}

function readJson(body: Uint8Array): unknown {
  try {
    return parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

/** A list of ids that were sent. Some stores leave out those that they had already. */
function isOfIds(body: Uint8Array, ids: readonly string[]): boolean {
  const found = readJson(body)
  if (!Array.isArray(found)) return false
  const sent = new Set(ids.map((id) => id.toLowerCase()))
  return found.every((id) => typeof id === 'string' && sent.has(id.toLowerCase()))
}

const isList = (body: Uint8Array): boolean =>
  Array.isArray(((readJson(body) ?? {}) as { statements?: unknown }).statements)

function versionsIn(body: Uint8Array): string[] {
  const { version } = (readJson(body) ?? {}) as { version?: unknown }
  return [version]
    .flat()
    .filter((one): one is string => typeof one === 'string' && /^[\d.]{1,20}$/.test(one))
    .slice(0, 20)
}
