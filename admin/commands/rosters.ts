import { readFile } from 'node:fs/promises'
import {
  RosterChangeKind,
  type ReadRosterResponse,
  type RosterChanges,
  type RosterFault,
} from '../../gen/lrs/v1/rosters_pb.js'
import { command } from '../command.ts'
import { confirmed } from '../confirm.ts'
import type { CoreClient } from '../core-client.ts'
import { Failed } from '../failed.ts'
import { needPersonal } from '../need-personal.ts'
import { fromOne } from '../option-values.ts'
import type { Session } from '../session.ts'
import { table, wordOf } from '../show.ts'

const takes = { '<file>': 'zip with CSV files of OneRoster 1.1 or 1.2' }

export const commands = {
  check: command({
    about: 'show the faults of a OneRoster file, or what it would change in the classes of the school',
    takes,
    examples: ['rosters check school.zip', 'rosters check school.zip --json | jq .faults'],
    async run(core, { file }, session) {
      const read = await readIn(core, file, session)
      return { json: read, text: textOf(read), ...(read.faultCount > 0 && { fault: 'Nothing can change.' }) }
    },
  }),
  take: command({
    about: 'change the classes of the school as a OneRoster file says, after a question',
    takes,
    options: {
      '--leavers <n>': { about: 'how many pupils leave: needed when it is more than a tenth', parse: fromOne },
      '-y, --yes': 'do not ask',
    },
    examples: ['rosters take school.zip', 'rosters take school.zip --yes --leavers 120'],
    async run(core, { file, leavers = 0, yes }, session) {
      const read = await readIn(core, file, session)
      if (!read.changes) return { json: read, text: textOf(read), fault: 'Nothing has changed.' }
      if (!yes) console.error(textOf(read))
      await confirmed(session, yes, 'Change the classes?')
      const { rosterId, fingerprint } = read.changes
      const { now } = await core.rosters.confirmRoster({ rosterId, fingerprint, leavers })
      if (now?.fingerprint === fingerprint)
        throw new Failed(`${now.leaves} of ${now.before} pupils leave: add --leavers ${now.leaves} if that is right.`)
      if (now) throw new Failed('The classes have changed meanwhile: run it again.')
      return { json: read, text: sumsOf(read.changes) }
    },
  }),
}

async function readIn({ rosters }: CoreClient, file: string, session: Session): Promise<ReadRosterResponse> {
  needPersonal(session)
  return rosters.readRoster({ zip: await readFile(file) })
}

const textOf = ({ faults, faultCount, changes }: ReadRosterResponse): string =>
  changes
    ? `${table(changes.changes, 'Nothing changes.', {
        change: ({ kind }) => wordOf(RosterChangeKind, kind),
        name: ({ name }) => name,
        before: ({ before }) => before,
        class: ({ className }) => className,
      })}\n${sumsOf(changes)}`
    : `${table(faults, '', {
        where: ({ file, line }: RosterFault) => (line > 0 ? `${file}:${line}` : file),
        column: ({ column }) => column,
        rule: ({ rule }) => rule,
        value: ({ value }) => value,
        expected: ({ expected }) => expected,
      })}\n${faultCount} in all; docs/roster.md says what to do.`

const sumsOf = ({ newClasses, joins, moves, renames, leaves }: RosterChanges): string =>
  `${newClasses} new classes; ${joins} pupils come, ${moves} of them back or from another class; ` +
  `${renames} are renamed; ${leaves} leave.`
