import { forwards as limits } from '../../../shared/limits.ts'
import { Problem } from '../../process/problem.ts'
import { checkAll } from '../../process/rules/check-all.ts'
import type { KeptFilter } from '../../../shared/statement-filters.ts'
import { keptFilter } from '../../records/rules/kept-filter.ts'
import { line } from '../../process/rules/text.ts'

/** Where statements go, which of them, and in which form. */
export interface ForwardSettings extends KeptFilter {
  readonly name: string
  /** To which `/statements` is added. */
  readonly endpoint: string
  readonly version: string
  readonly sandbox: boolean
  readonly pseudonyms: boolean
  readonly bare: boolean
  readonly attachments: boolean
}

export type ForwardCredential =
  | { readonly user: string; readonly password: string }
  | { readonly bearer: string }
  | undefined

/** @throws Problem */
export function forwardSettings(given: ForwardSettings): ForwardSettings {
  const [name, endpoint, version, filter] = checkAll(
    () => line(given.name, 'settings.name', { min: 1, max: 100 }),
    () => forwardEndpoint(given.endpoint),
    () => forwardVersion(given.version),
    () => keptFilter(given),
  )
  if (given.bare && !given.pseudonyms) throw new Problem('settings.bare', 'is for forwards with pseudonyms only')
  if (given.attachments && given.pseudonyms)
    throw new Problem('settings.attachments', 'cannot be sent with pseudonyms: an attachment may hold a name')
  return { ...given, ...filter, name, endpoint, version }
}

/** The endpoint without a slash at its end. @throws Problem */
export function forwardEndpoint(text: string): string {
  const trimmed = text
    .trim()
    .replace(/\/statements\/*$/, '')
    .replace(/\/+$/, '')
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined
  const isEndpoint = url && /^https?:$/.test(url.protocol) && !/[?#\s\\]/.test(trimmed) && !/[^\x21-\x7e]/.test(trimmed)
  if (isEndpoint && url.username === '' && url.password === '' && trimmed.length <= 2_000) return trimmed
  throw new Problem(
    'settings.endpoint',
    'must be an address such as https://lrs.example/xapi, without a user name, ? or #',
  )
}

/** @throws Problem */
function forwardVersion(text: string): string {
  if (text === '1.0.3' || text === '2.0.0') return text
  throw new Problem('settings.version', 'must be 1.0.3 or 2.0.0')
}

/** @throws Problem */
export function forwardCredential(given: ForwardCredential): ForwardCredential {
  if (given === undefined) return undefined
  const values = Object.values(given)
  if (values.some((value) => /[\0-\x1f\x7f]/.test(value)))
    throw new Problem('credential', 'must not have control characters, such as a line feed')
  if ('bearer' in given) {
    if (/^[\x21-\x7e]{1,4000}$/.test(given.bearer)) return given
    throw new Problem('credential.bearer', 'must be 1 to 4000 ASCII characters without spaces')
  }
  if (given.user !== '' && !given.user.includes(':') && given.user.length + given.password.length <= limits.secret)
    return given
  throw new Problem(
    'credential.basic',
    `must have a user name without a colon, and ${limits.secret} characters at most with the password`,
  )
}

/** The header Authorization. */
export function authorizationOf(credential: ForwardCredential): string | undefined {
  if (credential === undefined) return undefined
  if ('bearer' in credential) return `Bearer ${credential.bearer}`
  return `Basic ${Buffer.from(`${credential.user}:${credential.password}`).toString('base64')}`
}
