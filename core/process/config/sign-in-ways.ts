/** How people sign in (LRS_SIGN_IN): with a password, a passkey or a provider; or with a provider only. */
export type SignInWays = 'both' | 'provider'
