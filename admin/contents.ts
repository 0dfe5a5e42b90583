import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { StoredAttachment } from '../gen/lrs/v1/statements_pb.js'
import { again } from './again.ts'
import type { CoreClient } from './core-client.ts'
import { Failed } from './failed.ts'
import type { Session } from './session.ts'
import { actingFor } from './which-key.ts'

const algorithms: Record<number, string> = { 56: 'sha224', 64: 'sha256', 96: 'sha384', 128: 'sha512' }

/** The file of a content in a folder of contents; undefined when the text is no hash. */
export const fileOf = (folder: string, sha2: string): string | undefined =>
  sha2.length in algorithms && /^[0-9a-f]+$/i.test(sha2) ? join(folder, sha2.toLowerCase()) : undefined

/** Keeps contents of attachments as files named by their hash; those that are there already are not fetched again. */
export async function saveContents(
  session: Session,
  core: CoreClient,
  key: string,
  attachments: readonly StoredAttachment[],
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const { sha2, size } of attachments) {
    const path = fileOf(folder, sha2)!
    if ((await stat(path).catch(() => undefined))?.size === Number(size)) continue
    await again(session, async () => {
      const content = core.attachments.getAttachment(
        { sha2 },
        { ...actingFor(key), signal: session.ending, timeoutMs: 0 },
      )
      await keepContent(
        path,
        sha2,
        (async function* () {
          for await (const message of content) yield message.content
        })(),
      )
    })
  }
}

/** Writes a content under its name once all of it is there and its hash is right. @throws Failed */
export async function keepContent(path: string, sha2: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const hash = createHash(algorithms[sha2.length]!)
  const making = `${path}.${process.pid}.new`
  await pipeline(
    content,
    async function* (source) {
      for await (const chunk of source) {
        hash.update(chunk)
        yield chunk
      }
    },
    createWriteStream(making),
  )
  if (hash.digest('hex') !== sha2.toLowerCase())
    throw new Failed(`The content of the attachment ${sha2} does not match its hash: it was changed in transit.`)
  await rename(making, path)
}
