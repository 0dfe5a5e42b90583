import { Refusal } from '../../process/refusal.ts'
import type { Core } from '../../context.ts'
import type { Developer } from '../store/studio-sessions.ts'
import { uuidParameter } from '../../records/xapi/parameters.ts'

/** Deletes a message to the studio. @throws Refusal 'not-found' */
export async function deleteMessage(
  { store }: Pick<Core, 'store'>,
  { studio }: Developer,
  { messageId }: { readonly messageId: string },
): Promise<void> {
  if ((await store.studioMessages.remove(studio, [messageId])) === 1) return
  throw new Refusal('not-found', 'There is no such message (any more).')
}

/** Deletes messages to the studio; returns how many there were. @throws Problem */
export async function deleteMessages(
  { store }: Pick<Core, 'store'>,
  { studio }: Developer,
  { messageIds }: { readonly messageIds: readonly string[] },
): Promise<{ messages: number }> {
  const ids = messageIds.flatMap((id, index) => uuidParameter(id, `message_ids[${index}]`) ?? [])
  return { messages: await store.studioMessages.remove(studio, ids) }
}
