import type { ExportLearnerResponse } from '../../../gen/lrs/v1/admin_pb.js'
import { heldLine } from '../../../shared/held-lines.ts'
import { sendStream } from '../../web/send-stream.ts'
import type { Visit } from '../../web/visit.ts'

/** Sends an export as a file of lines of JSON. */
export const sendLines = (
  { response }: Visit,
  name: string,
  parts: AsyncIterable<{ readonly held?: ExportLearnerResponse }>,
): Promise<void> =>
  sendStream(
    response,
    () => response.attachment(name).type('application/x-ndjson'),
    async function* (signal) {
      for await (const { held } of parts) {
        if (signal.aborted) return
        yield Buffer.from(heldLine(held!.part) ?? '')
      }
    },
  )
