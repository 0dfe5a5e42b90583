import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'

/** SHA-256 in hexadecimal digits. */
export async function hashOf(content: Readable): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of content) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
