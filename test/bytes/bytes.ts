import { randomUUID } from 'node:crypto'
import { statement } from '../support/statements.ts'
import { startSystem } from '../support/system.ts'

export const extension = 'https://example.org/e'
export const MiB = 1024 * 1024
export const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

/** JSON of a statement with this text as the value of an extension. Depth there: statement, result, extensions. */
export const withExtension = (json: string, id: string = randomUUID()) =>
  JSON.stringify(statement({ id, result: { extensions: { [extension]: 0 } } })).replace(
    `"${extension}":0`,
    `"${extension}":${json}`,
  )

/** A game that sends bytes. */
export async function startBytes() {
  const system = await startSystem()
  const game = await system.game()
  return { system, game, xapi: game.xapi() }
}

export type Bytes = Awaited<ReturnType<typeof startBytes>>
