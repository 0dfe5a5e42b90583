import type { Turn } from '../../../rules/turn.ts'
import { storable } from '../../../../process/rules/storable.ts'
import type { Run } from './counter.ts'

/** Number of the first revision; uploaded builds count from 1. Revisions beyond the most have the number before it. */
export const firstRevision = 1_000_001
const most = 100

const known = {
  name: 'revisions_known',
  text: `select number, name from tally_build where game = $1 and number >= ${firstRevision - 1}`,
}
const add = {
  name: 'revisions_add',
  text: `insert into tally_build (game, number, name) select $1, * from unnest($2::int[], $3::text[])`,
}

/** Gives turns without a known build the number of their `context.revision`, in the order in which revisions come. */
export async function revisions(run: Run, game: number, turns: readonly Turn[]): Promise<void> {
  const named = turns.filter(({ build, revision }) => build === 0 && revision)
  if (named.length === 0) return
  const rows = await run<{ number: number; name: string }>(known, [game])
  const numbers = new Map(rows.map(({ number, name }) => [name, number]))
  const added: [number, string][] = []
  const numberOf = (turn: Turn): number => {
    const text = storable(turn.revision!, 100)
    let number = numbers.get(text)
    if (number !== undefined) return number
    const isOther = numbers.size >= most
    const name = isOther ? '' : text
    number = numbers.get(name) ?? (isOther ? firstRevision - 1 : firstRevision + numbers.size)
    if (!numbers.has(name)) added.push([number, name])
    numbers.set(name, number)
    return number
  }
  for (const turn of named) turn.build = numberOf(turn)
  if (added.length > 0) await run(add, [game, added.map(([number]) => number), added.map(([, name]) => name)])
}
