import { InvalidArgumentError, type Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

/** A day or time in ISO 8601, in UTC unless it says otherwise, in milliseconds since 1970. */
export function timeOption(text: string): number {
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)
  const time = isTime ? Date.parse(/^.{10}$|(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`) : NaN
  if (Number.isNaN(time))
    throw new InvalidArgumentError('It must be a day or a time, as 2026-11-01 or 2026-11-01T08:30Z.')
  return time
}

export const count = (text: string): number => {
  if (/^\d{1,6}$/.test(text) && Number(text) >= 1) return Number(text)
  throw new InvalidArgumentError('It must be a whole number of 1 or more.')
}

/** A place in the chain of entries, as core logs it. */
function headOption(text: string): { position: bigint; hash: string } {
  const [, position, hash] = /^([1-9]\d{0,15}):([0-9a-f]{64})$/i.exec(text) ?? []
  if (position === undefined) throw new InvalidArgumentError('It must be a position and its hash, as 1234:5f6c….')
  return { position: BigInt(position), hash: hash! }
}

const filtered = (command: Command): Command =>
  command
    .option('--since <time>', 'from this day or time on (ISO 8601, UTC)', timeOption)
    .option('--until <time>', 'before this day or time', timeOption)
    .option('--studio <studio>', 'in the log of this studio: id, e-mail address or slug')
    .option('--action <action>', 'an action, such as game.create, or the part before its dot')
    .option('--actor <actor>', 'who did it: e-mail address, id, or the role of a service')

export function audit(program: Command, act: Act): void {
  const group = program.command('audit').description('who did what to what, when, from where')
  filtered(group.command('list').description('list entries of the audit log, the newest first'))
    .option('--limit <n>', 'number of entries', count, 50)
    .addHelpText('after', examples('audit list --studio blue-fox --since 2026-11-01', 'audit list --action account'))
    .action(act(async () => (await import('../commands/audit.ts')).listEntries))
  filtered(group.command('export').description('print entries as NDJSON, the oldest first'))
    .option('--follow', 'go on with what is new, about 15 seconds later, until Ctrl-C')
    .addHelpText(
      'after',
      examples('audit export --since 2026-11-01 > audit.ndjson', 'audit export --follow | logger -t lrs-audit'),
    )
    .action(act(async () => (await import('../commands/audit.ts')).exportEntries))
  group
    .command('verify')
    .description('check that no entry was changed, removed, added or moved')
    .option('--head <position:hash>', 'compare with a head from the log of core, or from a backup', headOption)
    .addHelpText('after', examples('audit verify', 'audit verify --head 1234:5f6c…'))
    .action(act(async () => (await import('../commands/verify-audit.ts')).verifyEntries))
}
