import { setTimeout as sleep } from 'node:timers/promises'
import { toJson } from '@bufbuild/protobuf'
import { InvalidArgumentError } from 'commander'
import { AuditEntrySchema, type AuditEntry } from '../../gen/lrs/v1/audit_pb.js'
import { again } from '../again.ts'
import { command, type Values } from '../command.ts'
import { isPersonal } from '../config.ts'
import type { CoreClient } from '../core-client.ts'
import { upToMillion } from '../option-values.ts'
import type { Session } from '../session.ts'
import { number, table } from '../show.ts'
import { verifyEntries } from './verify-audit.ts'

const pageSize = 100
const everyMs = 5_000

/** A day or time in ISO 8601, in UTC unless it says otherwise, in milliseconds since 1970. */
function timeOption(text: string): number {
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)
  const time = isTime ? Date.parse(/^.{10}$|(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`) : NaN
  if (Number.isNaN(time))
    throw new InvalidArgumentError('It must be a day or a time, as 2026-11-01 or 2026-11-01T08:30Z.')
  return time
}

const filtered = {
  '--since <time>': { about: 'from this day or time on (ISO 8601, UTC)', parse: timeOption },
  '--until <time>': { about: 'before this day or time', parse: timeOption },
  '--studio <studio>': 'in the log of this studio: id, e-mail address or slug',
  '--action <action>': 'an action, such as game.create, or the part before its dot',
  '--actor <actor>': 'who did it: e-mail address, id, or the role of a service',
}

export const commands = {
  list: command({
    about: 'list entries of the audit log, the newest first',
    options: { ...filtered, '--limit <n>': { about: 'number of entries', parse: upToMillion, default: 50 } },
    examples: ['audit list --studio blue-fox --since 2026-11-01', 'audit list --action account'],
    async run(core, { limit, ...filter }, session) {
      const entries: AuditEntry[] = []
      let isWhole = true
      for await (const page of pages(core, session, filter, false)) {
        const left = limit - entries.length
        entries.push(...page.entries.slice(0, left))
        isWhole = page.next === '' && page.entries.length <= left
        if (entries.length === limit) break
      }
      const shown = entries.length === 1 ? 'one is' : `${number(entries.length)} are`
      if (!isWhole) session.note(`Only the first ${shown} shown: --limit shows more.`)
      const text = table(entries, 'There are no such entries.', {
        'time (UTC)': ({ time }) => new Date(Number(time)).toISOString().slice(0, 19).replace('T', ' '),
        action: ({ action }) => action,
        actor: whoDid,
        subject: ({ subject }) => (subject ? subject.name || subject.id : ''),
        outcome: ({ outcome }) => outcome,
        times: ({ count }) => (count === 1 ? '' : count),
        address: ({ address }) => address,
        details: ({ details }) =>
          Object.entries(details)
            .map(([name, value]) => `${name}=${value}`)
            .join(' '),
      })
      return { json: { entries: entries.map(jsonOf) }, text }
    },
  }),
  export: command({
    about: 'print entries as NDJSON, the oldest first',
    options: { ...filtered, '--follow': 'go on with what is new, about 15 seconds later, until Ctrl-C' },
    examples: ['audit export --since 2026-11-01 > audit.ndjson', 'audit export --follow | logger -t lrs-audit'],
    async run(core, { follow, ...filter }, session) {
      for (let position = ''; ;) {
        for await (const page of pages(core, session, filter, true, position)) {
          if (page.entries.length > 0)
            await session.write(page.entries.map((entry) => `${JSON.stringify(jsonOf(entry))}\n`).join(''))
          position = page.next || position
        }
        if (!follow) return
        await sleep(everyMs, undefined, { signal: session.ending })
      }
    },
  }),
  verify: verifyEntries,
}

/** The pages of the log. An empty page with a position may come while a filter finds nothing. */
async function* pages(
  core: CoreClient,
  session: Session,
  { since, until, studio = '', action, actor }: Values<typeof filtered>,
  ascending: boolean,
  from = '',
) {
  const isOwn = isPersonal(session.config())
  const filter = { action, actor, since: BigInt(since ?? 0), until: BigInt(until ?? 0) }
  for (let position = from; ;) {
    const page = { position, ascending, limit: pageSize }
    const options = { signal: session.ending }
    const found = await again<{ entries: AuditEntry[]; next: string }>(session, () =>
      isOwn
        ? core.audit.listOwnEntries({ filter, page }, options)
        : core.audit.listEntries({ filter, page, studio }, options),
    )
    yield found
    if (found.next === '' || found.next === position) return
    position = found.next
  }
}

const jsonOf = (entry: AuditEntry) => ({
  ...(toJson(AuditEntrySchema, entry) as object),
  time: new Date(Number(entry.time)).toISOString(),
})

function whoDid({ actor, token }: AuditEntry): string {
  const who = actor!.name || actor!.id || actor!.kind
  return token === '' ? who : `${who} (${token})`
}
