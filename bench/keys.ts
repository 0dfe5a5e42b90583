const secret = 'bench-secret-of-enough-length'

/** Key of the credential of the shape's game of this number. */
export const keyOf = (game: number): string => (game === 0 ? 'bench' : `bench-${game}`)

export const bootstrap = { key: keyOf(0), secret }

/** Value of the Authorization header of that game. */
export const authorizationOf = (game: number): string =>
  `Basic ${Buffer.from(`${keyOf(game)}:${secret}`).toString('base64')}`
