import { randomBytes } from 'node:crypto'
import type { Core } from '../../context.ts'

const place = (game: number) => ({ table: 'pseudonym_key', column: 'sealed', row: game })

/** The key of a game's pseudonyms; it gets one with the first export that asks. @throws Refusal 'conflict' */
export async function pseudonymKey(
  { store, sealer }: Pick<Core, 'store' | 'sealer'>,
  gameId: string,
): Promise<Uint8Array> {
  const { game, sealed } = await store.pseudonymKeys.find(gameId)
  if (sealed) return Buffer.from(sealer.open(place(game), sealed), 'base64url')
  await store.pseudonymKeys.add(game, sealer.seal(place(game), randomBytes(32).toString('base64url')))
  return pseudonymKey({ store, sealer }, gameId)
}
