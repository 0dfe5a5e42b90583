import type { Configured } from './openid-discovery.ts'
import { failureIn } from './openid-failure.ts'

/** One thing that was looked at, in words. */
export interface Finding {
  readonly good: boolean
  readonly text: string
}

/**
 * Looks at a provider as far as that goes without a person: configuration, keys, and whether it takes our client id
 * and secret, which it says when it gets a code that is none.
 */
export async function examine(configured: () => Promise<Configured>): Promise<Finding[]> {
  const findings: Finding[] = []
  const note = (good: boolean, text: string) => void findings.push({ good, text })
  try {
    const { library, config, metadata } = await configured()
    note(true, `It is reached and calls itself ${metadata.issuer}.`)
    const signed = metadata.id_token_signing_alg_values_supported ?? ['RS256']
    note(signed.length > 0, `Signatures of ID tokens that it offers and we take: ${signed.join(', ') || 'none'}.`)
    // providers need not say that they know PKCE
    const pkce = metadata.code_challenge_methods_supported
    note(
      !pkce || pkce.includes('S256'),
      pkce?.includes('S256') ? 'It knows PKCE with S256.' : 'It does not say that it knows PKCE.',
    )
    const sent = metadata.authorization_response_iss_parameter_supported
    note(
      true,
      sent ? 'It names itself in its answers (RFC 9207).' : 'It does not name itself in its answers (RFC 9207).',
    )
    try {
      const callback = new URL('https://portal.invalid')
      callback.search = new URLSearchParams({ code: 'test', ...(sent && { iss: metadata.issuer }) }).toString()
      await library.authorizationCodeGrant(config, callback, { pkceCodeVerifier: 'test'.repeat(12) })
      note(false, 'It takes a code that it has never given.')
    } catch (error) {
      const { detail } = failureIn(error)
      const isTaken = detail.endsWith(' invalid_grant')
      note(
        isTaken,
        isTaken
          ? 'It takes our client id and secret.'
          : `It does not take our client id, secret or address: ${detail}.`,
      )
    }
  } catch (error) {
    note(false, `${failureIn(error).detail}.`.replace(/\.+$/, '.'))
  }
  return findings
}
