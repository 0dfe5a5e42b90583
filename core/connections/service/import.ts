import { AdminService, type ImportStatementsRequest } from '../../../gen/lrs/v1/admin_pb.js'
import type { Answer } from '../../process/methods/answer.ts'
import { importStatements, type Imported } from '../command/import-statements.ts'
import type { ContentPart, Received } from '../../records/command/receive-attachments.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Declared } from '../../records/xapi/attachment.ts'
import { Problem } from '../../process/problem.ts'
import { inTime } from '../../records/service/attachments.ts'
import type { Call } from '../../process/methods/call.ts'
import type { Operation } from '../../records/calls/operation.ts'
import { perform } from '../../records/calls/perform.ts'
import { ours, say } from '../../../shared/say.ts'

type Part = ImportStatementsRequest['part']

interface Batch {
  readonly json: Uint8Array
  /** Undefined: the batch has no contents. */
  readonly parts?: AsyncIterable<ContentPart>
  /** Set when the contents begin to arrive. They come only once, even if the operation runs again. */
  received?: Promise<Received>
}

/** Most ids of conflicts in the answer. */
const mostConflicts = 1_000
/** Milliseconds within which the next message must arrive. The client may first have to read it from another store. */
const patience = 5 * 60_000

const importBatch: Operation<Batch, Imported> = {
  method: AdminService.method.importStatements,
  action: () => 'store statements',
  scopes: () => ['statements/write'],
  bypassesFairQueue: true,
  run: (core, caller, batch) => {
    const { json, parts } = batch
    core.room.take(caller.game, json.byteLength)
    const receive =
      parts && ((declared: Declared) => (batch.received ??= core.attachments.receive(parts, declared, caller)))
    return importStatements(core, caller, { json, receive })
  },
}

/** Stores batch after batch. When one fails, the batches before it stay stored. @throws Problem, Refusal */
export async function importAll(
  core: Core,
  messages: AsyncIterable<ImportStatementsRequest>,
  call: Call,
): Promise<Answer<typeof AdminService.method.importStatements>> {
  const source = messages[Symbol.asyncIterator]()
  const next = async (): Promise<Part> => {
    const message = await inTime(source.next(), patience)
    if (message.done)
      throw new Refusal('unavailable', 'The import was cut off; send it again: what is stored is skipped.')
    return message.value.part
  }
  let [stored, skipped, conflictCount] = [0, 0, 0]
  const conflicts: string[] = []
  let part = await next()

  /** Reads the contents that come before the next batch. */
  async function* contents(): AsyncGenerator<ContentPart> {
    for (; ; part = await next()) {
      if (part.case === 'begin') yield { sha2: part.value.sha2 }
      else if (part.case === 'content') yield { bytes: part.value }
      else return
    }
  }

  for (let n = 0; part.case !== 'end'; n++) {
    if (part.case !== 'statements') throw new Problem('', 'must begin each batch with its statements')
    const json = part.value
    part = await next()
    const parts = part.case === 'begin' ? contents() : undefined
    const imported = await perform(core, importBatch, { json, parts }, call).catch((error: unknown) => {
      throw error instanceof Problem
        ? new Problem(say`batches[${ours(n)}].${error.place}`, error.said, error.rule)
        : error
    })
    stored += imported.stored
    skipped += imported.skipped
    conflictCount += imported.conflicts.length
    conflicts.push(...imported.conflicts.slice(0, mostConflicts - conflicts.length))
  }
  return { stored, skipped, conflicts, conflictCount }
}
