import { throwIfStale, type Caller } from '../../records/access/caller.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Store } from '../../store.ts'
import { declaredContents, type Declared } from '../../records/xapi/attachment.ts'
import { differenceOf } from '../../records/xapi/equivalence.ts'
import { parseJson, parse } from '../../records/xapi/json.ts'
import { bodiesOf, TooMany, type Prepared } from '../../records/xapi/prepare.ts'
import { elements } from '../../records/xapi/spans.ts'
import { timestampOf } from '../../records/xapi/timestamp.ts'
import type { Statement } from '../../records/xapi/types.ts'
import type { HeavyWork } from '../../records/worker/worker.ts'
import type { Received } from '../../records/command/receive-attachments.ts'
import { withoutForeignDefinitions } from '../../records/command/checks.ts'
import { attachedTo, prepare, tooManyLinks, type Needs } from '../../records/command/store-statements.ts'
import { ours, say } from '../../../shared/say.ts'

/** Statements in one batch. */
const most = 1_000
/** Statements that are compared at a time. */
const compared = 100

/** A batch of statements of another store. */
export interface ImportBatch {
  /** JSON of an array. */
  readonly json: Uint8Array
  /** Takes in the contents that come with the batch, once the statements are found good. */
  readonly receive?: (declared: Declared) => Promise<Received>
}

export interface Imported {
  readonly stored: number
  /** Stored before, or twice in the batch. */
  readonly skipped: number
  /** Ids that are stored with another content. */
  readonly conflicts: string[]
}

/**
 * Stores statements of another store with their authority and timestamp; `stored` is our own. It skips ids that are
 * stored already. Contents of attachments may be missing, because the other store may lack them.
 * @throws Problem, Refusal
 */
export async function importStatements(
  needs: Needs,
  caller: Caller,
  { json, receive }: ImportBatch,
): Promise<Imported> {
  const { work, store, ingest, reservations } = needs
  const now = timestampOf(Date.now() * 1000)
  const prepared = await prepareImport(work, caller, json, now)
  const received: Received = receive ? await receive(declaredContents(prepared)) : new Map()
  const own = withoutForeignDefinitions(await reservations.owners(), caller, prepared)
  const outcome = throwIfStale(
    await ingest.store({ ...caller, prepared: own, attached: attachedTo(prepared, received) }),
  )
  if (outcome === 'overlinked') return importHalves(needs, caller, json, received)
  const { stored } = outcome
  const skipped = prepared.ids.length - stored.length
  return {
    stored: stored.length,
    skipped,
    conflicts: skipped === 0 ? [] : await conflictsOf(store.statements, caller, prepared, new Set(stored), now),
  }
}

/** Stores a batch with too many links in halves. @throws Problem when a single statement has too many */
async function importHalves(needs: Needs, caller: Caller, json: Uint8Array, received: Received): Promise<Imported> {
  const { text } = parseJson(json, 'statements')
  const spans = elements(text)
  if (spans.length < 2) throw tooManyLinks()
  const middle = Math.ceil(spans.length / 2)
  const halves: Imported[] = []
  for (const part of [spans.slice(0, middle), spans.slice(middle)]) {
    const half = Buffer.from(`[${part.map(({ start, end }) => text.slice(start, end)).join(',')}]`)
    halves.push(await importStatements(needs, caller, { json: half, receive: async () => received }))
  }
  const sum = (count: 'stored' | 'skipped') => halves.reduce((sum, half) => sum + half[count], 0)
  return { stored: sum('stored'), skipped: sum('skipped'), conflicts: halves.flatMap(({ conflicts }) => conflicts) }
}

async function prepareImport(work: HeavyWork, caller: Caller, json: Uint8Array, now: string): Promise<Prepared> {
  try {
    return await prepare(work, caller, json, {
      now,
      keepAuthority: true,
      rules: { ...caller.rules, duplicateIdsInBatch: 'skip' },
      maxStatements: most,
    })
  } catch (error) {
    if (error instanceof TooMany)
      throw new Refusal(
        'too-many-statements',
        say`Too many statements in one batch: max ${ours(error.max)} statements.`,
      )
    throw error
  }
}

/** Ids of the batch that were stored before, with something else. @param now stands where a timestamp was missing */
async function conflictsOf(
  statements: Store['statements'],
  { game, rules }: Caller,
  prepared: Prepared,
  isNew: ReadonlySet<number>,
  now: string,
): Promise<string[]> {
  const conflicts: string[] = []
  const sent = bodiesOf(prepared)
  for (let at = 0; at < sent.length; at += compared) {
    const given = new Map(prepared.statements.slice(at, at + compared).map(({ id }, n) => [id, sent[at + n]!]))
    for (const { id, stored, body } of await statements.bodies(game, [...given.keys()])) {
      if (isNew.has(stored) || body === given.get(id)) continue
      const { timestamp, ...rest } = parse(given.get(id)!) as Statement
      const one = timestamp === now ? rest : { ...rest, timestamp }
      if (differenceOf(one, parse(body) as Statement, rules) !== undefined) conflicts.push(id)
    }
  }
  return conflicts
}
