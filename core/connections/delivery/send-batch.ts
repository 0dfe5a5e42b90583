import { forwards as limits } from '../../../shared/limits.ts'
import type { StoredAttachment } from '../../records/store/cell/attachments.ts'
import type { Statement } from '../../records/xapi/types.ts'
import { ServerError, type Answer, type Target } from './target.ts'
import { randomUUID } from 'node:crypto'

/** A statement that is ready to be sent, or why it is not. */
export interface Prepared {
  /** Microseconds. */
  readonly stored: number
  /** As it is stored here. */
  readonly id: string
  readonly reason?: string
  /** As it is sent. */
  readonly form?: {
    readonly id: string
    readonly text: string
    readonly statement: Statement
    readonly parts: readonly StoredAttachment[]
  }
}
type Ready = Prepared & Required<Pick<Prepared, 'form'>>

/** What became of each statement, in order, as far as it is known. */
export interface Handled {
  readonly stored: number
  readonly id: string
  /** Why the target does not take it; undefined: it has it. */
  readonly refused: string | undefined
}

/** How statements are sent. */
export interface Sending {
  /** Statements of a request. */
  readonly most: number
  /**
   * What to do with 500. `fail`: the target is ill. `halve`: as when it refuses them, but only if it takes another
   * statement of these. `set aside`: the same, and what nothing can be said of is set aside before it fails.
   */
  readonly serverErrors: 'fail' | 'halve' | 'set aside'
  /** Takes a slot for a request with large contents, and returns what releases it. @throws Refusal */
  readonly large: () => () => void
}

/**
 * Sends statements in their order. A batch that the target refuses is halved until the statement is found that it does
 * not take; all others go on.
 * @param open reads the content of an attachment
 * @param handled is told of each statement, in order
 * @returns how many statements a request may have from now on
 * @throws TargetFailure, OutgoingError after `handled` was told of those before
 */
export async function sendInOrder(
  target: Target,
  prepared: readonly Prepared[],
  { most, serverErrors, large }: Sending,
  open: (id: number) => Promise<Uint8Array>,
  handled: (one: Handled) => void,
  signal: AbortSignal,
): Promise<number> {
  let batch = most
  /** What was answered with 500 before anything was taken, and what came after it. */
  const unclear: Handled[] = []
  let failure: ServerError | undefined
  let isWell = false
  const tell = ({ stored, id }: Prepared, refused?: string): void => {
    if (unclear.length > 0) unclear.push({ stored, id, refused })
    else handled({ stored, id, refused })
  }
  const taken = (items: readonly Ready[]): void => {
    isWell = true
    unclear.splice(0).forEach(handled)
    for (const one of items) tell(one)
  }
  const ask = async (items: readonly Ready[]): Promise<Answer | ServerError['answer']> => {
    const bytes = items.reduce((sum, { form }) => sum + sizeOf(form), 0)
    const release = bytes > limits.batchBytes ? large() : undefined
    try {
      return await target.post(await requestOf(items, open))
    } catch (error) {
      if (!(error instanceof ServerError) || serverErrors === 'fail') throw error
      failure = error
      return error.answer
    } finally {
      release?.()
    }
  }

  async function post(items: readonly Ready[]): Promise<void> {
    signal.throwIfAborted()
    const answer = await ask(items)
    if (answer === 'taken') return taken(items)
    if (items.length > 1) {
      if (answer === 'too large') batch = Math.max(1, Math.min(batch, Math.floor(items.length / 2)))
      const middle = Math.ceil(items.length / 2)
      await post(items.slice(0, middle))
      return post(items.slice(middle))
    }
    const [one] = items as [Ready]
    if (answer === 'too large') return tell(one, '413: it is too large for the target')
    if (answer.status === 500 && !isWell)
      return void unclear.push({ stored: one.stored, id: one.id, refused: answer.refused })
    const isThere = answer.status === 409 && (await target.has(one.form.id, one.form.statement))
    return isThere ? taken([one]) : tell(one, answer.refused)
  }

  let waiting: Ready[] = []
  const flush = async (): Promise<void> => {
    const items = waiting
    waiting = []
    if (items.length > 0) await post(items)
  }
  let size = 0
  for (const one of prepared) {
    if (one.form === undefined) {
      await flush()
      tell(one, one.reason ?? '')
      continue
    }
    const bytes = sizeOf(one.form)
    if (waiting.length >= batch || (waiting.length > 0 && size + bytes > limits.batchBytes)) await flush()
    if (waiting.length === 0) size = 0
    waiting.push(one as Ready)
    size += bytes
  }
  await flush()
  if (unclear.length === 0) return batch
  if (serverErrors === 'set aside') unclear.forEach(handled)
  throw failure!
}

/** Bytes of a statement with its attachments. */
export const sizeOf = ({ text, parts }: Required<Prepared>['form']): number =>
  Buffer.byteLength(text) + parts.reduce((sum, { size }) => sum + size, 0)

async function requestOf(items: readonly Ready[], open: (id: number) => Promise<Uint8Array>) {
  const statements = `[${items.map(({ form }) => form.text).join(',')}]`
  const ids = items.map(({ form }) => form.id)
  const contents = new Map<string, Part>()
  for (const { form } of items)
    for (const { id, sha2, contentType } of form.parts)
      if (!contents.has(sha2)) contents.set(sha2, { sha2, contentType, content: await open(id) })
  if (contents.size === 0) return { ids, body: statements, contentType: 'application/json' }
  return { ids, ...multipart(statements, [...contents.values()]) }
}

/** The content of an attachment. */
interface Part {
  /** Lower-case hexadecimal digits. */
  readonly sha2: string
  readonly contentType: string
  readonly content: Uint8Array
}

/** Statements with contents of attachments, as multipart/mixed (xAPI Communication 1.5.2). */
function multipart(statements: string, parts: readonly Part[]): { contentType: string; body: Uint8Array } {
  const boundary = `lrs-${randomUUID()}`
  const head = (headers: readonly string[]) => Buffer.from(`--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n`)
  const pieces: Uint8Array[] = [head(['Content-Type: application/json']), Buffer.from(`${statements}\r\n`)]
  for (const { sha2, contentType, content } of parts)
    pieces.push(
      head([
        // a header ends at a line feed; core has checked the type when it came
        `Content-Type: ${contentType.replaceAll(/[^\x20-\x7e]/g, '')}`,
        'Content-Transfer-Encoding: binary',
        `X-Experience-API-Hash: ${sha2}`,
      ]),
      content,
      Buffer.from('\r\n'),
    )
  pieces.push(Buffer.from(`--${boundary}--\r\n`))
  return { contentType: `multipart/mixed; boundary="${boundary}"`, body: Buffer.concat(pieces) }
}
