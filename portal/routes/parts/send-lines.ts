import type { ExportLearnerResponse } from '../../../gen/lrs/v1/admin_pb.js'
import { heldLine } from '../../../shared/held-lines.ts'
import type { Visit } from '../../web/visit.ts'

/** Sends an export as a file of lines of JSON. */
export async function sendLines(
  { response }: Visit,
  name: string,
  parts: AsyncIterable<{ readonly held?: ExportLearnerResponse }>,
): Promise<void> {
  for await (const { held } of parts) {
    // core has answered: until then a refusal gets a page
    if (!response.headersSent) response.attachment(name).type('application/x-ndjson')
    if (response.destroyed) return
    const line = heldLine(held!.part)
    if (line !== undefined && !response.write(line)) await drained(response)
  }
  response.end()
}

/** The reader has read what was sent, or is gone. */
const drained = (response: Visit['response']): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.once('drain', done).once('close', done)
  })
