import { signInProviders as limits } from '../../../shared/limits.ts'
import { Problem } from '../../process/problem.ts'
import { checkAll } from '../../process/rules/check-all.ts'
import { line } from '../../process/rules/text.ts'
import { say } from '../../../shared/say.ts'

/** What a group of a provider may give: an admin, a reviewer, a studio of one's own. */
export const providedRoles = ['admin', 'reviewer', 'studio'] as const
export type ProvidedRole = (typeof providedRoles)[number]

/** Groups of a provider by the role that they give. */
export type GroupRoles = Readonly<Record<ProvidedRole, readonly string[]>>

/** What an admin can change of a provider. */
export interface ProviderSettings {
  readonly label: string
  readonly clientId: string
  /** Beside `openid`. */
  readonly scopes: readonly string[]
  /** Empty: none. */
  readonly groupClaim: string
  readonly groups: GroupRoles
  /** Unknown people get an account. */
  readonly opens: boolean
  /** Only with an address of one of these; empty: any. */
  readonly domains: readonly string[]
  /** New accounts become teachers of this school: its name in addresses; empty: of none. */
  readonly school: string
}

/** @throws Problem */
export function providerName(name: string): string {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= 40) return name
  throw new Problem('name', 'must be 1 to 40 letters a to z, digits and single hyphens, such as example-login')
}

/** An issuer as the provider writes it: tokens are compared with it letter for letter. @throws Problem */
export function providerIssuer(issuer: string): string {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const isIssuer = url && /^https?:$/.test(url.protocol) && !/[?#@\s]/.test(issuer) && issuer.length <= 500
  if (isIssuer) return issuer
  throw new Problem('issuer', 'must be an address such as https://login.example.org, without user name, ? and #')
}

/** @throws Problem */
export function providerSettings(given: ProviderSettings): ProviderSettings {
  const [label, clientId, scopes, groupClaim, domains, admin, reviewer, studio] = checkAll(
    () => line(given.label, 'label', { min: 1, max: 60 }),
    () => line(given.clientId, 'client_id', { min: 1, max: 500 }),
    () => each(given.scopes, 'scopes', /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, 'scopes without spaces and quotes'),
    () => line(given.groupClaim, 'group_claim', { max: 200 }),
    () =>
      each(given.domains, 'domains', /^[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+$/u, 'domains such as example.org'),
    ...providedRoles.map(
      (role) => () => each(given.groups[role], `groups.${role}`, /^\P{Cc}{1,256}$/u, 'names of 256 characters at most'),
    ),
  ) as [string, string, string[], string, string[], string[], string[], string[]]
  if (groupClaim === '' && [admin, reviewer, studio].some((groups) => groups.length > 0))
    throw new Problem('group_claim', 'must name the claim that has the groups')
  return {
    label,
    clientId,
    scopes: scopes.filter((scope) => scope !== 'openid'),
    groupClaim,
    groups: { admin, reviewer, studio },
    opens: given.opens,
    domains: domains.map((domain) => domain.toLowerCase()),
    school: given.school,
  }
}

function each(values: readonly string[], path: string, pattern: RegExp, accepted: string): string[] {
  const all = [...new Set(values)]
  if (all.length > limits.ofList || all.some((value) => !pattern.test(value)))
    throw new Problem(path, say`must be ${limits.ofList} or fewer ${accepted}`)
  return all
}

/** What a person of these groups may do. */
export const rolesOf = (groups: readonly string[], { groups: of }: Pick<ProviderSettings, 'groups'>): ProvidedRole[] =>
  providedRoles.filter((role) => of[role].some((group) => groups.includes(group)))

/** Whether people with these roles may sign in: where groups for studios are named, everybody has to be in a group. */
export const isAdmitted = (roles: readonly ProvidedRole[], { groups }: Pick<ProviderSettings, 'groups'>): boolean =>
  groups.studio.length === 0 || roles.length > 0

/** Whether an address is of one of the domains. */
export const isOfDomain = (email: string, { domains }: Pick<ProviderSettings, 'domains'>): boolean =>
  domains.length === 0 || domains.includes(email.slice(email.lastIndexOf('@') + 1))
