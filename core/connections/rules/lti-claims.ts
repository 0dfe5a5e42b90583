import { lti as limits } from '../../../shared/limits.ts'

/** Claims of a message: JSON from outside. */
export type Claims = Readonly<Record<string, unknown>>

/** What a launch has to match. */
export interface Expected {
  readonly issuer: string
  readonly clientId: string
  readonly deployments: readonly string[]
  readonly isNonce: (nonce: string) => boolean
  /** Origin of the portal. */
  readonly portal: string
  /** Seconds since 1970. */
  readonly now: number
}

export interface Check {
  readonly claim: string
  readonly came: string
  readonly expected: string
  readonly passed: boolean
}

const base = 'https://purl.imsglobal.org/spec/lti/claim/'
/** Names of claims, without what they begin with. */
export const claim = {
  type: `${base}message_type`,
  version: `${base}version`,
  deployment: `${base}deployment_id`,
  target: `${base}target_link_uri`,
  link: `${base}resource_link`,
  roles: `${base}roles`,
  context: `${base}context`,
  custom: `${base}custom`,
  picking: 'https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings',
  grades: 'https://purl.imsglobal.org/spec/lti-ags/claim/endpoint',
  members: 'https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice',
} as const

export const resourceLink = 'LtiResourceLinkRequest'
export const deepLinking = 'LtiDeepLinkingRequest'

/** A text of a claim, if it is one and not too long; else empty. */
export const text = (value: unknown, most: number = limits.valueCharacters): string =>
  typeof value === 'string' && value.length <= most && !/\p{Cc}/u.test(value) ? value : ''
/** The members of a claim that is an object; else none. */
export const members = (value: unknown): Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : {}
export const texts = (value: unknown): string[] =>
  Array.isArray(value)
    ? value
        .slice(0, 100)
        .map((one) => text(one))
        .filter((one) => one !== '')
    : []

/** A value as it is shown: never more than a line. */
export const shown = (value: unknown): string =>
  value === undefined
    ? ''
    : (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
        .replaceAll(/\p{C}/gu, ' ')
        .slice(0, limits.shownCharacters)

/** Whether an address is where launches go. */
export function isTarget(address: string, portal: string): boolean {
  const url = URL.parse(address)
  return (
    url !== null &&
    url.origin === portal &&
    url.pathname === '/lti/launch' &&
    url.username === '' &&
    url.password === ''
  )
}

const isPicking = (claims: Claims): boolean => claims[claim.type] === deepLinking
const audiences = ({ aud }: Claims): string[] => (typeof aud === 'string' ? [aud] : texts(aud))
const settingsOf = (claims: Claims) => members(claims[claim.picking])
/** Its origin also goes into a header, so it has no sign that means something there. */
const isHttp = (address: string): boolean => /^https?:\/\/[a-z\d.-]+(:\d+)?$/.test(URL.parse(address)?.origin ?? '')

/** A check: its name, the claim, what is expected of it in words, and the rule. */
type Row = readonly [
  name: string,
  came: (claims: Claims) => unknown,
  expected: (of: Expected, claims: Claims) => string,
  passes: (claims: Claims, of: Expected) => boolean,
]

/** What a tool must check of a message whose signature is right, in this order. */
const rows: readonly Row[] = [
  ['iss', ({ iss }) => iss, ({ issuer }) => issuer, ({ iss }, { issuer }) => iss === issuer],
  ['aud', ({ aud }) => aud, ({ clientId }) => clientId, (claims, { clientId }) => audiences(claims).includes(clientId)],
  [
    'azp',
    ({ azp }) => azp,
    ({ clientId }, claims) => (audiences(claims).length > 1 ? clientId : `${clientId}, or nothing`),
    (claims, { clientId }) =>
      claims['azp'] === clientId || (claims['azp'] === undefined && audiences(claims).length < 2),
  ],
  [
    'exp',
    ({ exp }) => exp,
    ({ now }) => `a time after ${now}`,
    ({ exp }, { now }) => Number.isFinite(exp) && Number(exp) > now - limits.skewSeconds,
  ],
  [
    'iat',
    ({ iat }) => iat,
    ({ now }) => `a time from ${now - limits.loginMinutes * 60} to ${now}`,
    ({ iat }, { now }) =>
      Number.isFinite(iat) &&
      Number(iat) <= now + limits.skewSeconds &&
      Number(iat) >= now - limits.loginMinutes * 60 - limits.skewSeconds,
  ],
  [
    'nonce',
    ({ nonce }) => (nonce === undefined ? undefined : 'a value'),
    () => 'the value of this login, once',
    ({ nonce }, { isNonce }) => typeof nonce === 'string' && isNonce(nonce),
  ],
  [
    'message_type',
    (claims) => claims[claim.type],
    () => `${resourceLink} or ${deepLinking}`,
    (claims) => claims[claim.type] === resourceLink || isPicking(claims),
  ],
  ['version', (claims) => claims[claim.version], () => '1.3.0', (claims) => claims[claim.version] === '1.3.0'],
  [
    'deployment_id',
    (claims) => claims[claim.deployment],
    ({ deployments }) => deployments.join(', ') || 'a deployment that the school has entered',
    (claims, { deployments }) => deployments.includes(text(claims[claim.deployment], 255)),
  ],
  [
    'target_link_uri',
    (claims) => claims[claim.target],
    ({ portal }) => `${portal}/lti/launch`,
    (claims, { portal }) =>
      (isPicking(claims) && claims[claim.target] === undefined) || isTarget(text(claims[claim.target]), portal),
  ],
  [
    'sub',
    ({ sub }) => sub,
    () => 'at most 255 characters of ASCII, or nothing',
    ({ sub }) => sub === undefined || (typeof sub === 'string' && /^[\x20-\x7e]{1,255}$/.test(sub)),
  ],
  ['roles', (claims) => claims[claim.roles], () => 'a list', (claims) => Array.isArray(claims[claim.roles])],
  [
    'resource_link',
    (claims) => claims[claim.link],
    () => 'an id of at most 255 characters',
    (claims) => isPicking(claims) || text(members(claims[claim.link])['id'], 255) !== '',
  ],
  [
    'deep_linking_settings',
    (claims) => settingsOf(claims)['accept_types'],
    () => 'an address to return to, and the type ltiResourceLink',
    (claims) =>
      !isPicking(claims) ||
      (isHttp(text(settingsOf(claims)['deep_link_return_url'])) &&
        texts(settingsOf(claims)['accept_types']).includes('ltiResourceLink')),
  ],
]

/** Every check with its result. */
export const checksOf = (claims: Claims, of: Expected): Check[] =>
  rows.map(([name, came, expected, passes]) => ({
    claim: name,
    came: shown(came(claims)),
    expected: expected(of, claims),
    passed: passes(claims, of),
  }))
