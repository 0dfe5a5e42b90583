import { OutgoingError } from './outgoing-error.ts'

/**
 * `denied`: the person or the provider said no; `unreachable`: the provider does not answer as it should; `not
 * accepted`: it answered, but the answer is not for us, not from it, or not for this sign-in.
 */
export type OpenIdFailure = 'denied' | 'unreachable' | 'not accepted'

/** A value, or why there is none; `detail` is for the log and for admins, without any secret. */
export type OpenIdResult<T> = { readonly value: T } | { readonly failure: OpenIdFailure; readonly detail: string }

/** Codes of the library for answers that cannot be read at all. */
const unread = new Set(['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR'])
/** What a provider says when something is wrong with itself or with how we are registered. */
const ofSetUp = new Set(
  [
    'server_error temporarily_unavailable invalid_client unauthorized_client invalid_request invalid_scope',
    'unsupported_response_type unsupported_grant_type',
  ].flatMap((line) => line.split(' ')),
)

/** What went wrong in a step of a sign-in. */
export function failureIn(error: unknown): { failure: OpenIdFailure; detail: string } {
  const chain = causesOf(error)
  const call = chain.find((one) => one instanceof OutgoingError)
  if (call) return { failure: 'unreachable', detail: call.message }
  const said = chain.find(
    (one): one is Error & { error: string } => typeof (one as { error?: unknown }).error === 'string',
  )
  if (said) {
    const code = said.error.replaceAll(/[^\w.-]/g, '').slice(0, 60)
    if (ofSetUp.has(code)) return { failure: 'unreachable', detail: `the provider says ${code}` }
    return { failure: code === 'invalid_grant' ? 'not accepted' : 'denied', detail: `the provider says ${code}` }
  }
  if (chain.some((one) => codeOf(one) === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE'))
    return { failure: 'unreachable', detail: 'the provider does not accept our client id and secret' }
  const detail =
    chain
      .map(({ message }) => message)
      .join(': ')
      .slice(0, 400) || 'unknown error'
  const isUnread = chain.some((one) => one.name === 'TimeoutError' || unread.has(codeOf(one)))
  return { failure: isUnread ? 'unreachable' : 'not accepted', detail }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code)

/** The error and what caused it; the library keeps answers as causes, too. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let one = error; one instanceof Error && causes.length < 5; one = one.cause) causes.push(one)
  return causes
}
