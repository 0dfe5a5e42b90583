import { personIn, type OpenIdPerson } from './openid-claims.ts'
import { openIdDiscovery, type OpenIdProvider, type Web } from './openid-discovery.ts'
import { failureIn, type OpenIdResult } from './openid-failure.ts'

/** What we ask for: parameters of the authorization request. */
export interface OpenIdRequest {
  readonly provider: OpenIdProvider
  readonly parameters: Readonly<Record<string, string>>
}

/** What came back with the browser, and what it has to match. */
export interface OpenIdAnswer {
  readonly provider: OpenIdProvider
  /** The address of ours to which the browser came, with its query. */
  readonly callback: string
  readonly state: string
  readonly nonce: string
  /** The secret of PKCE. */
  readonly verifier: string
  /** Name of the claim with the groups; empty: none. */
  readonly groupClaim: string
}

/**
 * The steps of a sign-in with OpenID Connect that call the provider. They run in the thread of outgoing calls.
 * @param web makes one bounded request, to an allowed address
 * @param seconds for all requests of one step together
 */
export function openId(web: Web, seconds: number) {
  const { configured, forget } = openIdDiscovery(web, seconds)

  /** Of a person that has signed in at the provider: validates the answer, takes the code for tokens, validates them. */
  async function person({
    provider,
    callback,
    state,
    nonce,
    verifier,
    groupClaim,
  }: OpenIdAnswer): Promise<OpenIdPerson> {
    const { library, config, metadata, keepKeys } = await configured(provider)
    const tokens = await library.authorizationCodeGrant(config, new URL(callback), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    keepKeys()
    const claims = tokens.claims()!
    // the library looks at it only where the token is for several
    if (claims.azp !== undefined && claims.azp !== provider.clientId)
      throw new library.ClientError('unexpected ID Token "azp" (authorized party) claim value')
    const inToken = personIn([claims], groupClaim)
    const isWhole = inToken.email !== '' && (groupClaim === '' || inToken.groups.length > 0)
    if (isWhole || metadata.userinfo_endpoint === undefined) return inToken
    return personIn([claims, await library.fetchUserInfo(config, tokens.access_token, claims.sub)], groupClaim)
  }

  return {
    /** The address at the provider to which the browser goes. */
    address: ({ provider, parameters }: OpenIdRequest): Promise<OpenIdResult<string>> =>
      resultOf(async () => {
        const { library, config } = await configured(provider)
        return library.buildAuthorizationUrl(config, { ...parameters }).href
      }),
    person: (answer: OpenIdAnswer): Promise<OpenIdResult<OpenIdPerson>> => resultOf(() => person(answer)),
    /** What an admin wants to know of a provider before people use it. */
    examine: async ({ provider }: Pick<OpenIdRequest, 'provider'>) => {
      forget(provider)
      const { examine } = await import('./openid-examine.ts')
      return examine(() => configured(provider))
    },
  }
}

async function resultOf<T>(work: () => Promise<T>): Promise<OpenIdResult<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    return failureIn(error)
  }
}
