import type { ContactStudioRequest } from '../../../gen/lrs/v1/accounts_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import type { Core } from '../../context.ts'
import { messageLeft } from '../notices/texts.ts'
import { Refusal } from '../../process/refusal.ts'
import { checkAll } from '../../process/rules/check-all.ts'
import { emailAddress } from '../../process/rules/email.ts'
import { makers } from '../rules/roles.ts'
import { line, paragraphs, studioTexts } from '../../process/rules/text.ts'
import { Problem } from '../../process/problem.ts'
import type { Developer } from '../store/studio-sessions.ts'
import { uuidParameter } from '../../records/xapi/parameters.ts'

export type Contact = Fields<ContactStudioRequest>

/** Leaves a message for a studio. @throws Problem, Refusal */
export async function contactStudio(
  { store, captcha, notices }: Pick<Core, 'store' | 'captcha' | 'notices'>,
  given: Contact,
): Promise<void> {
  const [senderName, senderEmail, message] = checkAll(
    () => line(given.senderName, 'sender_name', studioTexts.senderName),
    () => emailAddress(given.senderEmail, 'sender_email'),
    () => paragraphs(given.message, 'message', studioTexts.message),
  )
  await store.portalLimits.requireFrom('contact', given.senderIp)
  const studio = await store.studios.bySlug(given.slug)
  if (!studio || studio.kind === 'school') throw new Refusal('not-found', 'There is no such studio.')
  const { hash, expires } = await captcha.solved(given.solution)
  const outcome = await store.studioMessages.add(studio.studio, { senderName, senderEmail, message }, hash, expires)
  if (outcome === 'used') throw new Problem('solution', 'was used before: tick the box once more')
  if (outcome === 'full')
    throw new Refusal('conflict', 'The studio has more messages than it can keep: try again when it has read some.')
  // several within a while are one piece of news: a stranger cannot fill the list or the mailbox
  const topic = `message:${new Date().toISOString().slice(0, 13)}`
  await notices.tell({ studio: studio.studio, roles: makers }, 'message', messageLeft(studio.name), undefined, topic)
}

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
