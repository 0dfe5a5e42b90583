import { InvalidArgumentError } from 'commander'
import { again } from '../again.ts'
import { amount } from '../show.ts'
import { command } from '../command.ts'
import { Failed } from '../failed.ts'

/** A place in the chain of entries, as core logs it. */
function headOption(text: string): { position: bigint; hash: string } {
  const [, position, hash] = /^([1-9]\d{0,15}):([0-9a-f]{64})$/i.exec(text) ?? []
  if (position === undefined) throw new InvalidArgumentError('It must be a position and its hash, as 1234:5f6c….')
  return { position: BigInt(position), hash: hash! }
}

/** Checks the whole log, beginning with the oldest entry that is kept. */
export const verifyEntries = command({
  about: 'check that no entry was changed, removed, added or moved',
  options: {
    '--head <position:hash>': {
      about: 'compare with a head from the log of core, or from a backup',
      parse: headOption,
    },
  },
  examples: ['audit verify', 'audit verify --head 1234:5f6c…'],
  async run(core, { head: noted }, session) {
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
  },
})

/** What was checked, in a sentence. */
export const checked = (entries: number, first: bigint): string =>
  entries === 0
    ? 'The audit log has no entry yet.'
    : `${amount(entries, 'entry', 'entries')}, from position ${first} on: none was changed, removed, added or moved.`
