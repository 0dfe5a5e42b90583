import type { IncomingHttpHeaders } from 'node:http'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { readAuthorization } from '../../shared/authorization.ts'
import { spokenVersions, versionOf } from '../../shared/xapi-version.ts'
import { invalid, refusal, shown } from './failure.ts'

/** Whether the request has a credential. Only core knows whether it is valid. */
export function hasCredential({ authorization }: IncomingHttpHeaders): boolean {
  return !('fault' in readAuthorization(authorization))
}

/** The Authorization header in its one spelling. Throws an HttpRefusal: 401 when it is missing or spelled otherwise. */
export function requireCredential({ authorization }: IncomingHttpHeaders): string {
  const named = readAuthorization(authorization)
  if ('fault' in named) throw refusal(Reason.UNAUTHENTICATED, named.fault)
  return named.header
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
