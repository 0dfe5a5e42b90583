import type { IncomingHttpHeaders } from 'node:http'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { spokenVersions, versionOf } from '../../shared/xapi-version.ts'
import { invalid, refusal, shown } from './failure.ts'

const authorizationPattern = /^(?:Basic|Bearer) +[\w.~+/-]+=*$/i

/** Whether the request has a credential. Only core knows whether it is valid. */
export function hasCredential({ authorization }: IncomingHttpHeaders): boolean {
  return authorization !== undefined && authorizationPattern.test(authorization)
}

/** The Authorization header. Throws an HttpRefusal: 401 when it is missing or malformed. */
export function requireCredential({ authorization }: IncomingHttpHeaders): string {
  if (authorization !== undefined && authorizationPattern.test(authorization)) return authorization
  const what = authorization === undefined ? 'this header is missing; send' : 'must be'
  throw refusal(
    Reason.UNAUTHENTICATED,
    `Authorization: ${what} "Basic <base64 of key:secret>" or "Bearer <launch token>"`,
  )
}

/** The version of xAPI that the request asks for; undefined: none, or one that is not supported. */
export function requestedVersion(headers: IncomingHttpHeaders): string | undefined {
  return versionOf(versionHeader(headers))
}

/** The same. Throws an HttpRefusal: 400 when it is missing or not supported. */
export function requireVersion(headers: IncomingHttpHeaders): string {
  const version = requestedVersion(headers)
  if (version !== undefined) return version
  const header = versionHeader(headers)
  const what = header === '' ? 'this header is missing' : `${shown(header)} is not supported`
  throw invalid('X-Experience-API-Version', `${what}; send ${spokenVersions}`)
}

/** Empty without the header. */
const versionHeader = ({ 'x-experience-api-version': version = '' }: IncomingHttpHeaders) => version as string
