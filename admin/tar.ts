import { Failed } from './failed.ts'

/** A file or folder in an archive (POSIX pax): what both ends of ours need, readable by any tar. */
export interface Entry {
  /** With `/` between names; folders end with it. */
  readonly path: string
  readonly mode: number
  /** Bytes of a file; 0 for folders. */
  readonly size: number
}

const block = 512
const mostUstarSize = 0o77777777777
const mostPaxBytes = 64 * 1024

/** The header of an entry; the content follows, then `padding`. */
export function headerOf({ path, mode, size }: Entry): Buffer {
  const isPlain = path.length <= 100 && /^[\x21-\x7e ]+$/.test(path) && size <= mostUstarSize
  if (isPlain) return ustar(path, mode, size, path.endsWith('/') ? '5' : '0')
  const records = Buffer.concat([record('path', path), record('size', String(size))])
  const name = path.replaceAll(/[^\x21-\x7e]/g, '_').slice(-100)
  return Buffer.concat([
    ustar('pax', 0o600, records.length, 'x'),
    records,
    padding(records.length),
    ustar(name, mode, Math.min(size, mostUstarSize), path.endsWith('/') ? '5' : '0'),
  ])
}

export const padding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block)
export const ending: Buffer = Buffer.alloc(2 * block)

function ustar(name: string, mode: number, size: number, type: string): Buffer {
  const header = Buffer.alloc(block)
  const octal = (value: number, width: number) => value.toString(8).padStart(width, '0')
  header.write(name, 0, 'latin1')
  header.write(
    `${octal(mode & 0o7777, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(size, 11)}\0${octal(0, 11)}\0        ${type}`,
    100,
    'latin1',
  )
  header.write('ustar\x0000', 257, 'latin1')
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
    'latin1',
  )
  return header
}

/** `<length> <name>=<value>\n`, where the length counts itself. */
function record(name: string, value: string): Buffer {
  const rest = ` ${name}=${value}\n`
  const bytes = Buffer.byteLength(rest)
  let length = bytes + String(bytes).length
  if (bytes + String(length).length !== length) length++
  return Buffer.from(`${length}${rest}`)
}

/** The entries of an archive as they come; each content has to be read before the next entry. @throws Failed */
export async function* entriesOf(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Entry & { content: AsyncIterable<Uint8Array> }> {
  const chunks = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  /** So many bytes, in pieces. */
  async function* take(bytes: number): AsyncGenerator<Uint8Array> {
    while (bytes > 0) {
      if (held.length === 0) {
        const { done, value } = await chunks.next()
        if (done) throw new Failed('The archive is cut off.')
        held = Buffer.from(value.buffer, value.byteOffset, value.length)
      }
      const piece = held.subarray(0, bytes)
      held = held.subarray(piece.length)
      bytes -= piece.length
      yield piece
    }
  }
  const read = async (bytes: number): Promise<Buffer> => {
    const pieces: Uint8Array[] = []
    for await (const piece of take(bytes)) pieces.push(piece)
    return Buffer.concat(pieces)
  }

  let extra = new Map<string, string>()
  for (;;) {
    const header = await read(block)
    if (header.every((byte) => byte === 0)) return
    const { name, mode, size, type } = fieldsOf(header)
    if (type === 'x') {
      if (size > mostPaxBytes) throw new Failed('A header of the archive is too large.')
      extra = recordsOf(await read(size))
      await read(padding(size).length)
      continue
    }
    if (type !== '0' && type !== '5')
      throw new Failed(`${JSON.stringify(name)} in the archive is neither a file nor a folder.`)
    if (!Number.isSafeInteger(size) || size < 0) throw new Failed('The archive has a damaged header.')
    const entry = { path: extra.get('path') ?? name, mode, size: type === '5' ? 0 : Number(extra.get('size') ?? size) }
    extra = new Map()
    const content = take(entry.size)
    yield { ...entry, content }
    for await (const _ of content);
    await read(padding(entry.size).length)
  }
}

function fieldsOf(header: Buffer): { name: string; mode: number; size: number; type: string } {
  const text = (from: number, to: number) => header.toString('latin1', from, to).replace(/\0.*$/s, '')
  const sum = Number.parseInt(text(148, 156), 8)
  const blank = Buffer.from(header).fill(' ', 148, 156)
  if (text(257, 262) !== 'ustar' || sum !== blank.reduce((total, byte) => total + byte, 0))
    throw new Failed('This is not an archive made by "backup", or it is damaged.')
  return {
    name: text(0, 100),
    mode: Number.parseInt(text(100, 108), 8),
    size: Number.parseInt(text(124, 136), 8),
    type: text(156, 157),
  }
}

function recordsOf(bytes: Buffer): Map<string, string> {
  const found = new Map<string, string>()
  for (let at = 0; at < bytes.length;) {
    const length = Number.parseInt(bytes.toString('latin1', at, at + 20))
    const [, name, value] = /^\d+ ([^=]+)=(.*)\n$/s.exec(bytes.toString('utf8', at, at + length)) ?? []
    if (name === undefined) throw new Failed('The archive has a damaged header.')
    found.set(name, value!)
    at += length
  }
  return found
}
