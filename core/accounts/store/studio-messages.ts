import type { StudioMessage as StudioMessageMessage } from '../../../gen/lrs/v1/accounts_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { done, scalar, sql, type Database } from '../../process/database/database.ts'

export type StudioMessage = Fields<StudioMessageMessage>

/** Most messages of a studio. It has to delete some to get more. */
const mostMessages = 1_000

/** A solution or challenge counts once. */
export const useSolution = sql('solution_use')`
  insert into used_solution (hash, expires) values ($1, to_timestamp($2)) on conflict do nothing returning 1`
const insert = sql('studio_message_add')`
  insert into studio_message (studio, sender_name, sender_email, message) values ($1, $2, $3, $4)`
const count = sql('studio_message_count')`select count(*)::int as messages from studio_message where studio = $1`
const list = sql('studio_message_list')`
  select uuid as "messageId", sender_name as "senderName", sender_email as "senderEmail", message,
      extract(epoch from sent)::bigint::float8 as sent
    from studio_message m where studio = $1 order by m.sent desc limit 200`
const full = sql('studio_message_full')`select exists (select from studio_message where studio = $1 offset $2) as full`
const remove = sql('studio_message_delete')`
  delete from studio_message where studio = $1 and uuid = any ($2) returning 1`
const sweep = sql('solution_sweep')`delete from used_solution where expires < now()`

/** Messages of visitors to studios, and the captcha solutions that they used. */
export function studioMessageStore({
  run,
  essential,
  transaction,
}: Pick<Database, 'run' | 'essential' | 'transaction'>) {
  return {
    /** Stores a message; 'used': the solution was used before. @param expires of the solution, seconds since 1970 */
    add: (
      studio: number,
      message: Omit<StudioMessage, 'messageId' | 'sent'>,
      solution: Buffer,
      expires: number,
    ): Promise<'done' | 'used' | 'full'> =>
      transaction(async (run) => {
        const [row] = await run<{ messages: number }>(count, [studio])
        if (row!.messages >= mostMessages) return 'full'
        if ((await run(useSolution, [solution, expires])).length === 0) return 'used'
        await run(insert, [studio, message.senderName, message.senderEmail, message.message])
        return 'done'
      }),
    /** Newest first. */
    of: (studio: number) => run<StudioMessage>(list, [studio]),
    /** Whether the studio has as many messages as it may. */
    isFull: (studio: number) => scalar<boolean>(run(full, [studio, mostMessages - 1])),
    /** Returns how many of them there were. */
    remove: async (studio: number, messageIds: readonly string[]): Promise<number> =>
      (await run(remove, [studio, messageIds])).length,
    /** Deletes used solutions that have expired. */
    sweep: () => done(essential(sweep, [])),
  }
}
