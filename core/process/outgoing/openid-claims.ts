/** A person, as a provider describes them. */
export interface OpenIdPerson {
  /** Names the person at the provider, for ever. */
  readonly subject: string
  /** Only where the provider has verified it; empty: none. */
  readonly email: string
  /** The provider named an address that it has not verified. */
  readonly hasOtherEmail: boolean
  readonly name: string
  readonly groups: readonly string[]
}

type Claims = Readonly<Record<string, unknown>>

/** Bounds of what is taken from a provider. */
const mostGroups = 1_000
const longest = 320

/** The person in the claims of the ID token and of the user info: what the token says comes first. */
export function personIn(sources: readonly Claims[], groupClaim: string): OpenIdPerson {
  const subject = String(sources[0]!['sub'])
  const first = (name: string): string =>
    sources.map((claims) => textOf(claims[name])).find((text) => text !== '') ?? ''
  const named = sources.filter((claims) => textOf(claims['email']) !== '')
  // the address and its mark from the same source
  const verified = named.find(isVerified)
  return {
    subject,
    email: verified ? textOf(verified['email']) : '',
    hasOtherEmail: !verified && named.length > 0,
    name: first('name') || first('preferred_username'),
    groups:
      groupClaim === ''
        ? []
        : (sources.map((claims) => groupsOf(claims, groupClaim)).find((all) => all.length > 0) ?? []),
  }
}

/** Cognito sends texts; Entra has no `email_verified`, but says whether the owner of the domain is verified. */
const isVerified = (claims: Claims): boolean =>
  ['true', '1'].includes(String(claims['email_verified'] ?? claims['xms_edov']))

const textOf = (value: unknown): string => (typeof value === 'string' && value.length <= longest ? value : '')

/** @param path a claim by its name, or a claim within others: `realm_access.roles` */
function groupsOf(claims: Claims, path: string): string[] {
  const within = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Claims)[name] : undefined
  const value = Object.hasOwn(claims, path) ? claims[path] : path.split('.').reduce(within, claims)
  const all: unknown[] = [value].flat().slice(0, mostGroups)
  return all.map(textOf).filter((group) => group !== '')
}
