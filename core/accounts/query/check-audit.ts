import type { CheckEntriesResponse } from '../../../gen/lrs/v1/audit_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import type { Store } from '../../store.ts'
import type { ChainEnd } from '../store/audit.ts'

/** Entries that one look compares. */
const most = 5_000

export interface CheckedEntries extends Omit<Fields<CheckEntriesResponse>, 'head'> {
  readonly head: ChainEnd
}

/** Compares entries of the audit log with the chain of their hashes. @param after a position; 0: from the oldest on */
export async function checkAudit(
  { audit }: Pick<Store, 'audit'>,
  after: number,
  noted: ChainEnd | undefined,
): Promise<CheckedEntries> {
  const part = await audit.check(after, most)
  const { checked, first, last, hash, wrong, head, head_hash: headHash } = part
  const more = checked === most
  const isEnd = !more && part.unlinked === null
  const problem =
    wrong !== null
      ? part.is_gap
        ? `Entries are missing before position ${wrong} (${part.wrong_id}).`
        : `The entry at position ${wrong} (${part.wrong_id}) was changed, or the one before it was.`
      : part.unlinked !== null
        ? `The entry ${part.unlinked} has no place in the chain: it was not added in the usual way.`
        : isEnd && (last !== head || hash !== headHash)
          ? `Entries are missing at the end: the last one is at position ${last}, the newest was at ${head}.`
          : ''
  return {
    checked,
    first: first ?? 0,
    last,
    more: more && problem === '',
    problem,
    head: { position: head, hash: headHash },
    notedProblem: noted ? await problemOf(audit, noted, part.expired) : '',
  }
}

async function problemOf(audit: Store['audit'], { position, hash }: ChainEnd, expired: number): Promise<string> {
  if (position < expired) return `The entry at position ${position} was deleted because of its age: nothing to compare.`
  const now = await audit.hashAt(position)
  if (now === hash.toLowerCase()) return ''
  return now === undefined
    ? `There is no entry at position ${position}.`
    : `The entry at position ${position} has another hash now: this entry or one before it was changed.`
}
