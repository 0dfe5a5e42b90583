import { Code, ConnectError } from '@connectrpc/connect'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { FailureSchema, Reason, Subject, type Failure } from '../gen/lrs/v1/failure_pb.js'
import type { Config } from './config.ts'
import { Failed, type ExitCode } from './failed.ts'
import { plain } from './plain.ts'

/** Whom a command called. */
type Called = Omit<Config, 'token'>

/** What went wrong, in one line. */
export function lineOf(error: unknown, called?: Called): string {
  if (error instanceof ConnectError) return lineOfCall(error, called ?? { coreUrl: '', tokenFrom: '', isOwn: false })
  const { code, path, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' && path !== undefined && !existsSync(dirname(path)))
    return `The folder of ${path} does not exist.`
  if (code !== undefined && code in files) return `${path ?? 'A file'} ${files[code as keyof typeof files]}.`
  return oneLine(message ?? String(error))
}

export function codeOf(error: unknown): ExitCode {
  if (error instanceof Failed) return error.exitCode
  return isAway(error) ? 3 : 1
}

/** What to say of a file or folder. */
const files = {
  ENOENT: 'does not exist',
  EMFILE: 'cannot be opened: too many files are open',
  EFBIG: 'cannot be written: the file would be too large for this system',
  EACCES: 'belongs to another user',
  EPERM: 'belongs to another user',
  EISDIR: 'is a folder',
  ENOTDIR: 'is not a folder',
  EEXIST: 'exists already',
  ENOSPC: 'cannot be written: the disk is full',
  EROFS: 'cannot be written: it is on a read-only disk',
}

function lineOfCall(error: ConnectError, { coreUrl, tokenFrom, isOwn }: Called): string {
  const failure = failureIn(error)
  if (failure) {
    const said = oneLine(failure.message).replace(/ \[[\w.]+\]$/, '')
    const { reason, subject } = failure
    const isUnknown = reason === Reason.UNAUTHENTICATED
    if (isUnknown && subject === Subject.SERVICE_TOKEN)
      return `The core at ${coreUrl} rejects the token of ${tokenFrom}. It must be the admin token in LRS_SERVICE_TOKENS of core.`
    // who comes with another role's token is taken for a studio, or told the roles
    if (subject === Subject.SERVICE_TOKEN || subject === Subject.SESSION)
      return `The token of ${tokenFrom} has another role. It must be the admin token in LRS_SERVICE_TOKENS of ${coreUrl}.`
    if (isUnknown && subject === Subject.CREDENTIAL)
      return 'There is no valid credential with this key: "games list" shows the keys.'
    const list = reason === Reason.NOT_FOUND ? lists[subject] : undefined
    return list === undefined ? said : said.replace(/\.$/, `: "${list}" shows them.`)
  }
  if (error.code === Code.DeadlineExceeded) return `Core at ${coreUrl} took too long to answer. Try again.`
  // whatever goes wrong inside core comes with its Failure
  if (!isAway(error)) {
    const tls = /^https:/i.test(coreUrl) ? ' Core itself does not speak TLS: https: needs a proxy in front of it.' : ''
    return `${coreUrl} answers, but not as a core of this version. The port of core is CORE_PORT (default 8082).${tls}`
  }
  return `Core does not answer at ${coreUrl}: ${isOwn ? 'run "npm start" here' : 'start it'}, or set its address with --core or LRS_CORE_URL.`
}

/** The command that lists those that one was not found among. */
const lists: Partial<Record<Subject, string>> = {
  [Subject.GAME]: 'games list',
  [Subject.CREDENTIAL]: 'games list',
  [Subject.STUDIO]: 'studios list',
  [Subject.RESERVATION]: 'reservations list',
}

/** Why core refused a call. */
export const failureIn = (error: unknown): Failure | undefined =>
  error instanceof ConnectError ? error.findDetails(FailureSchema)[0] : undefined

/** Core is down, overloaded or cut off: nothing is wrong with the call. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false
  const failure = failureIn(error)
  if (failure) return failure.reason === Reason.UNAVAILABLE || failure.reason === Reason.RATE_LIMITED
  return [Code.Unavailable, Code.DeadlineExceeded, Code.Aborted, Code.Canceled].includes(error.code)
}

/**
 * Whether a core that has answered before can no longer be reached. Core's own errors have a Failure, so an error
 * without one comes from a connection that was cut.
 */
export const isCut = (error: unknown): boolean =>
  isAway(error) || (error instanceof ConnectError && failureIn(error) === undefined)

const oneLine = (text: string): string => plain(text).replaceAll(/\s*\n\s*/g, ' ')
