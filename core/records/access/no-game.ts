import { Refusal } from '../../process/refusal.ts'

/**
 * The same text for foreign and for unknown games, so nobody learns which exist. No game is foreign to an admin.
 * @param visitor undefined: not an admin
 */
export function noGame(visitor?: unknown): Refusal {
  const message = visitor === 'admin' ? 'There is no game with this id.' : 'There is no such game, or it is not yours.'
  return new Refusal('not-found', message, { subject: 'game' })
}
