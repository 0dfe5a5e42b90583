import { lti as limits } from '../../../shared/limits.ts'
import { embedOrigins } from '../../games/rules/embed-origins.ts'
import { Problem } from '../../process/problem.ts'
import { line } from '../../process/rules/text.ts'
import { members, text, type Claims } from './lti-claims.ts'

/** What a school says of a platform. */
export interface PlatformSettings {
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly loginUrl: string
  readonly tokenUrl: string
  readonly jwksUrl: string
  readonly deployments: readonly string[]
  readonly origins: readonly string[]
}

const httpHint = 'must be an address that begins with https://'

function address(given: string, path: string): string {
  const url = given.length <= limits.valueCharacters ? URL.parse(given.trim()) : null
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.hash === '')
    return url.href
  throw new Problem(path, httpHint)
}

function plain(given: string, path: string): string {
  const one = given.trim()
  if (!/^[\x21-\x7e]{1,255}$/.test(one)) throw new Problem(path, 'must have 1 to 255 characters, without spaces')
  return one
}

/** Checks what a school says of a platform. Without origins they are those of the issuer and of the login. @throws Problem */
export function platformSettings(given: PlatformSettings): PlatformSettings {
  const issuer = plain(given.issuer, 'platform.issuer')
  if (!/^https?:\/\//.test(issuer)) throw new Problem('platform.issuer', httpHint)
  const loginUrl = address(given.loginUrl, 'platform.login_url')
  const deployments = [...new Set(given.deployments.filter((one) => one.trim() !== ''))]
  if (deployments.length > limits.deployments)
    throw new Problem('platform.deployments', `must have at most ${limits.deployments} lines`)
  const origins = given.origins.filter((one) => one.trim() !== '')
  if (origins.length > limits.origins)
    throw new Problem('platform.origins', `must have at most ${limits.origins} lines`)
  return {
    name: line(given.name, 'platform.name', { min: 1, max: 100 }),
    issuer,
    clientId: plain(given.clientId, 'platform.client_id'),
    loginUrl,
    tokenUrl: address(given.tokenUrl, 'platform.token_url'),
    jwksUrl: address(given.jwksUrl, 'platform.jwks_url'),
    deployments: deployments.map((one) => plain(one, 'platform.deployments')),
    origins: originsOf(
      origins.length > 0 ? origins : [issuer, loginUrl].flatMap((one) => URL.parse(one)?.origin ?? []),
    ),
  }
}

function originsOf(given: readonly string[]): string[] {
  try {
    return embedOrigins(given)
  } catch (error) {
    throw error instanceof Problem ? new Problem('platform.origins', error.said) : error
  }
}

/** What a platform says of itself (LTI Dynamic Registration); the issuer has to be at the same host. @throws Problem */
export function configurationOf(configuration: Claims, from: string) {
  const issuer = text(configuration['issuer'])
  if (issuer === '' || URL.parse(issuer)?.host !== URL.parse(from)?.host)
    throw new Problem('openid_configuration', 'must be at the host of its issuer')
  return {
    issuer,
    name:
      text(
        members(configuration['https://purl.imsglobal.org/spec/lti-platform-configuration'])['product_family_code'],
        100,
      ) || 'LMS',
    loginUrl: text(configuration['authorization_endpoint']),
    tokenUrl: text(configuration['token_endpoint']),
    jwksUrl: text(configuration['jwks_uri']),
    registrationUrl: address(text(configuration['registration_endpoint']), 'openid_configuration'),
  }
}

/** What we tell a platform of ourselves. */
export const registrationOf = (portal: string, school: string): Claims => ({
  application_type: 'web',
  response_types: ['id_token'],
  grant_types: ['implicit', 'client_credentials'],
  initiate_login_uri: `${portal}/lti/login/${school}`,
  redirect_uris: [`${portal}/lti/launch`],
  client_name: 'Games LRS',
  jwks_uri: `${portal}/lti/jwks/${school}`,
  token_endpoint_auth_method: 'private_key_jwt',
  scope: [
    'https://purl.imsglobal.org/spec/lti-ags/scope/lineitem',
    'https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly',
    'https://purl.imsglobal.org/spec/lti-ags/scope/score',
    'https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly',
  ].join(' '),
  'https://purl.imsglobal.org/spec/lti-tool-configuration': {
    domain: URL.parse(portal)?.host ?? '',
    target_link_uri: `${portal}/lti/launch`,
    claims: ['iss', 'sub', 'name', 'given_name', 'family_name'],
    messages: [
      { type: 'LtiResourceLinkRequest' },
      { type: 'LtiDeepLinkingRequest', target_link_uri: `${portal}/lti/launch`, label: 'Games LRS' },
    ],
  },
})
