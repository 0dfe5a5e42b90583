import { connect, type NetConnectOpts } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { malware } from '../../../shared/limits.ts'
import { say } from '../../../shared/say.ts'
import { Refusal } from '../../process/refusal.ts'
import { refused, shown } from './entry-name.ts'

/** Where clamd listens; `timeout`: milliseconds without a byte after which it counts as away. */
export type Clamd = NetConnectOpts

type Content = Iterable<Buffer> | AsyncIterable<Buffer>

/**
 * Sends a file to clamd. When a file is too large, clamd often breaks off before its answer can be read: a file with
 * which it does so time after time, though it answers PING in between, counts as too large.
 * @throws Problem of what it finds, Refusal 'unavailable' when it gives no result
 */
export async function scan(
  clamd: Clamd,
  name: string,
  content: () => Content | Promise<Content>,
  triesLeft: number = malware.tries - 1,
): Promise<void> {
  const answer = await ask(clamd, 'INSTREAM', content).catch(async (error: unknown) => {
    if (!(error instanceof Refusal && /ECONNRESET|EPIPE|breaks off/.test(String(error.cause)))) throw error
    await versionOf(clamd)
    return triesLeft > 0 ? undefined : 'size limit exceeded'
  })
  if (answer === undefined) return scan(clamd, name, content, triesLeft - 1)
  if (answer === 'stream: OK') return
  if (/size limit exceeded|Heuristics\.Limits\.Exceeded/.test(answer)) throw refused(name, tooLarge, 'malware')
  const [, found] = /^stream: (.+) FOUND$/.exec(answer) ?? []
  if (found === undefined) throw away(`clamd answers ${shown(answer)}`)
  throw refused(
    name,
    say`must be without malware, but the scanner finds ${shown(found)}: replace this file, or ask the operator when you are sure that it is harmless`,
    'malware',
  )
}

/** Version of the clamd that answers. @throws Refusal */
export async function versionOf(clamd: Clamd): Promise<string> {
  const pong = await ask(clamd, 'PING')
  if (pong !== 'PONG') throw away(`clamd answers PING with ${shown(pong)}`)
  return shown(await ask(clamd, 'VERSION'))
}

async function ask(clamd: Clamd, command: string, content?: () => Content | Promise<Content>): Promise<string> {
  const socket = connect({ timeout: malware.seconds * 1000, ...clamd })
  socket.on('timeout', () => socket.destroy(new Error('clamd does not answer in time')))
  const read = async () => {
    let answer = ''
    for await (const bytes of socket) {
      answer += String(bytes)
      if (answer.includes('\0') || answer.length > malware.answer) break
    }
    if (!answer.includes('\0')) throw new Error('clamd breaks off without an answer')
    return answer.slice(0, answer.indexOf('\0'))
  }
  const write = async (bytes: Buffer) => {
    await new Promise((done) => socket.write(bytes, done))
    // an early answer is read before the next write, which fails
    await setImmediate()
  }
  const send = async () => {
    await write(Buffer.from(`z${command}\0`))
    if (!content) return
    for await (const bytes of await content()) {
      if (socket.destroyed) return
      if (bytes.length > 0) await write(Buffer.concat([lengthOf(bytes), bytes]))
    }
    await write(lengthOf(Buffer.alloc(0)))
  }
  const answer = read().catch(({ message, code }) => {
    throw away(message || code)
  })
  try {
    return (await Promise.all([answer, send()]))[0]
  } finally {
    socket.destroy()
  }
}

function lengthOf({ length }: Buffer): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(length)
  return bytes
}

const away = (cause: string) =>
  new Refusal(
    'unavailable',
    'The malware scanner does not answer. The upload is kept: in a few minutes, press Resume or run the command again.',
    { cause },
  )

const tooLarge =
  'must be smaller, because the malware scanner does not take it whole: split it, or ask the operator, who can raise ' +
  'StreamMaxLength, MaxFileSize and MaxScanSize of clamd'
