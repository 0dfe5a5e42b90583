import { setImmediate as turn } from 'node:timers/promises'
import { deliveries, forwards as limits } from '../../../shared/limits.ts'
import type { Caller } from '../../records/access/caller.ts'
import { pseudonymKey } from '../command/pseudonym-key.ts'
import type { Core } from '../../context.ts'
import { pseudonymizer } from '../export/pseudonyms.ts'
import type { StoredAttachment } from '../../records/store/cell/attachments.ts'
import type { ForwardSettings } from '../rules/forward.ts'
import type { Stored } from '../../records/xapi/exact.ts'
import { forwardedForm, type TargetVersion } from '../../records/xapi/forwarded.ts'
import { idOf } from '../../records/xapi/spans.ts'
import { attachmentsOf } from '../../records/query/attachments.ts'
import { sizeOf, type Prepared } from './send-batch.ts'

/** The form in which a forward sends statements. */
export async function preparer(core: Pick<Core, 'store' | 'sealer'>, caller: Caller, settings: ForwardSettings) {
  const { pseudonyms, bare } = settings
  const pseudonymize = pseudonyms
    ? pseudonymizer({ key: await pseudonymKey(core, caller.gameId), authority: caller.authority, bare })
    : undefined

  function prepare({ body, stored }: Stored, contents: ReadonlyMap<string, StoredAttachment>): Prepared {
    const text = body.toString()
    const one = { stored, id: idOf(text) }
    const form = forwardedForm(pseudonymize ? pseudonymize(text) : text, settings.version as TargetVersion)
    if (typeof form === 'string') return { ...one, reason: form }
    const { attachments, ...sent } = form
    const found = settings.attachments
      ? attachments.map(({ sha2 }) => contents.get(sha2.toLowerCase())).filter((part) => part !== undefined)
      : []
    // a statement may name ten thousand: each is looked up once
    const has = (sha2: string): boolean => settings.attachments && contents.has(sha2.toLowerCase())
    const isMissing = attachments.some(({ sha2, fileUrl }) => fileUrl === undefined && !has(sha2))
    if (isMissing)
      return {
        ...one,
        reason: settings.attachments
          ? 'The content of its attachment is not stored here.'
          : 'It needs the content of an attachment, and this forward sends none.',
      }
    const ready = { id: idOf(sent.text), ...sent, parts: [...new Map(found.map((part) => [part.sha2, part])).values()] }
    if (sizeOf(ready) > limits.statementBytes)
      return { ...one, reason: `It has more than ${limits.statementBytes / 2 ** 20} MB with its attachments.` }
    return { ...one, form: ready }
  }

  return async (statements: readonly Stored[]): Promise<Prepared[]> => {
    const places = statements.map(({ stored }) => stored)
    const contents = settings.attachments ? await attachmentsOf(core.store, { ...caller, scopes: [] }, places) : []
    const known = new Map(contents.map((content) => [content.sha2, content]))
    const prepared: Prepared[] = []
    for (const statement of statements) {
      prepared.push(prepare(statement, known))
      // games are served between two of them
      await turn()
    }
    return prepared
  }
}

/** The content of an attachment, within what one call may send. */
export const contentReader =
  ({ attachments }: Pick<Core['store'], 'attachments'>) =>
  async (id: number): Promise<Uint8Array> => {
    const chunks: Buffer[] = []
    let size = 0
    for (let n = 0; size <= deliveries.sentBytes; n++) {
      const chunk = await attachments.chunk(id, n)
      if (chunk === undefined) break
      chunks.push(chunk)
      size += chunk.length
    }
    return Buffer.concat(chunks)
  }
