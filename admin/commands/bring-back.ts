import type { Misplaced } from '../../gen/lrs/v1/cells_pb.js'
import { again } from '../again.ts'
import { command } from '../command.ts'
import type { CoreClient } from '../core-client.ts'
import type { Session } from '../session.ts'
import { amount, table } from '../show.ts'

/** Milliseconds of one call: the first forgets who was seen in the game. */
const timeoutMs = 10 * 60_000
/** Ids that are shown of a game. */
const mostShown = 20

/** What was done with the misplaced statements of a game, or would be. */
interface Brought {
  readonly gameId: string
  readonly cell: number
  readonly foundCell: number
  readonly foundServer: string
  returned: number
  same: number
  expired: number
  readonly different: string[]
}

/** Shows misplaced statements, with --yes brings them back. After an interruption the next run does the rest. */
export const bringBack = command({
  about: 'show statements in tables of a wrong cell, where no request finds them; with --yes bring them back',
  options: {
    '--yes': 'bring them back: ids and bytes stay, "stored" is new',
    '--discard': 'with --yes: if the cell has the same id with other bytes, remove the misplaced statement',
  },
  examples: ['cells bring-back', 'cells bring-back --yes'],
  async run(core, { yes = false, discard = false }, session) {
    const ask = () => core.cells.listMisplaced({}, { timeoutMs, signal: session.ending })
    const { misplaced } = await again(session, ask)
    const all: Brought[] = []
    for (const one of misplaced) {
      const brought = await everyStep(session, core, one, !yes, discard)
      all.push(brought)
      if (yes)
        session.note(`${all.length} of ${misplaced.length}: ${one.gameId}, ${amount(brought.returned, 'statement')}`)
    }
    const different = all.flatMap(({ different }) => different)
    return { json: { brought: all.map((one) => ({ ...one })), done: yes }, text: textOf(all, different, yes, discard) }
  },
})

async function everyStep(
  session: Session,
  { cells }: CoreClient,
  { gameId, cell, foundCell, foundServer }: Misplaced,
  preview: boolean,
  discard: boolean,
): Promise<Brought> {
  const brought: Brought = { gameId, cell, foundCell, foundServer, returned: 0, same: 0, expired: 0, different: [] }
  for (let after = 0n; ;) {
    const request = { gameId, foundCell, foundServer, after, preview, discard }
    const done = await again(session, () => cells.bringBack(request, { timeoutMs, signal: session.ending }))
    brought.returned += done.returned
    brought.same += done.same
    brought.expired += done.expired
    brought.different.push(...done.different)
    after = done.next
    if (after === 0n) return brought
  }
}

function textOf(all: readonly Brought[], different: readonly string[], isDone: boolean, isDiscarded: boolean): string {
  if (all.length === 0) return 'Every statement is in the cell of its game.'
  const shown = table(all, '', {
    game: ({ gameId }) => gameId,
    cell: ({ cell }) => cell,
    'found in': ({ foundCell, foundServer }) => (foundServer === '' ? foundCell : `${foundCell} on ${foundServer}`),
    [isDone ? 'back' : 'to bring']: ({ returned }) => returned,
    same: ({ same }) => same,
    expired: ({ expired }) => expired,
    different: ({ different }) => different.length,
  })
  const copies =
    different.length === 0
      ? []
      : [
          `The cell has other bytes of ${amount(different.length, 'id')}, which stay: ` +
            `${different.slice(0, mostShown).join(', ')}${different.length > mostShown ? ', …' : ''}.`,
          isDone && isDiscarded
            ? 'The misplaced ones were removed.'
            : 'The misplaced ones stay where they are; "cells bring-back --yes --discard" removes them.',
        ]
  const end = isDone
    ? 'They are back. Table returned_statement has their old "stored".'
    : 'Nothing was changed. "cells bring-back --yes" brings them back.'
  return [shown, ...copies, end].join('\n')
}
