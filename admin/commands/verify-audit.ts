import { again } from '../again.ts'
import { amount } from '../amount.ts'
import { Failed } from '../failed.ts'
import type { Work } from '../session.ts'

/** Checks the whole log, beginning with the oldest entry that is kept. */
export const verifyEntries: Work<{ readonly head?: { position: bigint; hash: string } }> = async (
  session,
  _args,
  { head: noted },
) => {
  const core = await session.connect()
  let entries = 0
  let first = 0n
  for (let after = 0n; ;) {
    const found = await again(session, () =>
      core.audit.checkEntries({ after, noted: after === 0n ? noted : undefined }, { signal: session.ending }),
    )
    entries += found.checked
    if (after === 0n) first = found.first
    const problem = [found.problem, found.notedProblem].filter(Boolean).join(' ')
    if (problem !== '') throw new Failed(`The audit log is not as it was written. ${problem}`)
    after = found.last
    if (found.more) continue
    const head = `${found.head!.position}:${found.head!.hash}`
    return {
      json: { entries, first: Number(first), head },
      text: `${checked(entries, first)}\nHead: ${head}${noted ? '\nThe chain has the noted head.' : ''}`,
    }
  }
}

/** What was checked, in a sentence. */
export const checked = (entries: number, first: bigint): string =>
  entries === 0
    ? 'The audit log has no entry yet.'
    : `${amount(entries, 'entry', 'entries')}, from position ${first} on: none was changed, removed, added or moved.`
