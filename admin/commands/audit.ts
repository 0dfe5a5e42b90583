import { setTimeout as sleep } from 'node:timers/promises'
import { toJson } from '@bufbuild/protobuf'
import { AuditEntrySchema, type AuditEntry } from '../../gen/lrs/v1/audit_pb.js'
import { again } from '../again.ts'
import { number } from '../amount.ts'
import { isPersonal } from '../config.ts'
import type { Session, Work } from '../session.ts'
import { table } from '../show.ts'

interface Filter {
  readonly since?: number
  readonly until?: number
  readonly studio?: string
  readonly action?: string
  readonly actor?: string
}

const pageSize = 100
const everyMs = 5_000

/** The pages of the log. An empty page with a position may come while a filter finds nothing. */
async function* pages(
  session: Session,
  { since, until, studio = '', action, actor }: Filter,
  ascending: boolean,
  from = '',
) {
  const core = await session.connect()
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

export const listEntries: Work<Filter & { readonly limit: number }> = async (session, _args, options) => {
  const entries: AuditEntry[] = []
  let isWhole = true
  for await (const page of pages(session, options, false)) {
    const left = options.limit - entries.length
    entries.push(...page.entries.slice(0, left))
    isWhole = page.next === '' && page.entries.length <= left
    if (entries.length === options.limit) break
  }
  const shown = entries.length === 1 ? 'one is' : `${number(entries.length)} are`
  if (!isWhole) session.note(`Only the first ${shown} shown: --limit shows more.`)
  return {
    json: { entries: entries.map(jsonOf) },
    text: table(
      ['time (UTC)', 'action', 'actor', 'subject', 'outcome', 'times', 'address', 'details'],
      entries.map(rowOf),
      'There are no such entries.',
    ),
  }
}

export const exportEntries: Work<Filter & { readonly follow?: true }> = async (
  session,
  _args,
  { follow, ...filter },
) => {
  for (let position = ''; ;) {
    for await (const page of pages(session, filter, true, position)) {
      if (page.entries.length > 0)
        await session.write(page.entries.map((entry) => `${JSON.stringify(jsonOf(entry))}\n`).join(''))
      position = page.next || position
    }
    if (!follow) return
    await sleep(everyMs, undefined, { signal: session.ending })
  }
}

const jsonOf = (entry: AuditEntry) => ({
  ...(toJson(AuditEntrySchema, entry) as object),
  time: new Date(Number(entry.time)).toISOString(),
})

function rowOf({ time, action, actor, token, subject, outcome, count, address, details }: AuditEntry): string[] {
  const who = actor!.name || actor!.id || actor!.kind
  return [
    new Date(Number(time)).toISOString().slice(0, 19).replace('T', ' '),
    action,
    token === '' ? who : `${who} (${token})`,
    subject ? subject.name || subject.id : '',
    outcome,
    count === 1 ? '' : String(count),
    address,
    Object.entries(details)
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
  ]
}
