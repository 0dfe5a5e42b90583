import { Refusal } from '../../process/refusal.ts'
import type { Store } from '../../store.ts'
import type { Developer } from '../store/studio-sessions.ts'
import { uuidParameter } from '../../records/xapi/parameters.ts'

/** Deletes a message to the studio. @throws Refusal 'not-found' */
export async function deleteMessage(
  { studioMessages }: Store,
  { studio }: Developer,
  messageId: string,
): Promise<void> {
  if ((await studioMessages.remove(studio, [messageId])) === 1) return
  throw new Refusal('not-found', 'There is no such message (any more).')
}

/** Deletes messages to the studio; returns how many there were. @throws Problem */
export async function deleteMessages(
  { studioMessages }: Store,
  { studio }: Developer,
  messageIds: readonly string[],
): Promise<number> {
  return studioMessages.remove(
    studio,
    messageIds.flatMap((id, index) => uuidParameter(id, `message_ids[${index}]`) ?? []),
  )
}
