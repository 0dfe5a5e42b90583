/** What the checks of a launch are about: they have one text, and one place where they are changed. */
const groups = {
  client: ['client_id', 'aud', 'azp'],
  issuer: ['issuer', 'iss'],
  deployment: ['deployment_id'],
  target: ['target_link_uri'],
  keys: ['token', 'alg', 'kid', 'keys', 'signature'],
  clock: ['exp', 'iat'],
  once: ['state', 'nonce'],
  game: ['game'],
  room: ['class'],
  message: [],
} as const

export type Why = keyof typeof groups

/** Everything else is about the message as such. */
export const whyOf = (claim: string): Why =>
  (Object.keys(groups) as Why[]).find((group) => (groups[group] as readonly string[]).includes(claim)) ?? 'message'
