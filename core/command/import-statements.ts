import { fresh, type Caller } from '../caller.ts'
import { Refusal } from '../refusal.ts'
import type { Store } from '../store/store.ts'
import { declaredContents, type Declared } from '../xapi/delivery.ts'
import { differenceOf } from '../xapi/equivalence.ts'
import { TooMany, type Prepared } from '../xapi/prepare.ts'
import { timestampOf } from '../xapi/timestamp.ts'
import type { Statement } from '../xapi/types.ts'
import type { HeavyWork } from '../worker/worker.ts'
import type { Ingest } from './ingest.ts'
import type { Received } from './receive-attachments.ts'
import { attachedTo, prepare } from './store-statements.ts'

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

interface Needs {
  readonly ingest: Ingest
  readonly work: HeavyWork
}

export interface Imported {
  readonly stored: number
  /** Stored before, or twice in the batch. */
  readonly skipped: number
  /** Ids that are stored with another content. */
  readonly conflicts: string[]
}

/**
 * Stores a batch of statements as they are in another store, authority and timestamp included; `stored` is our own. Ids
 * that are stored already are skipped. Contents of attachments may be missing, as they may be there.
 * @throws Problem, Refusal
 */
export async function importStatements({ statements }: Pick<Store, 'statements'>, { ingest, work }: Needs, caller: Caller, { json, receive }: ImportBatch): Promise<Imported> {
  const now = timestampOf(Date.now() * 1000)
  const prepared = await prepareImport(work, caller, json, now)
  const received: Received = receive ? await receive(declaredContents(prepared)) : new Map()
  const { stored } = fresh(await ingest.store({ ...caller, prepared, attached: attachedTo(prepared, received) }))
  const skipped = prepared.ids.length - stored.length
  return { stored: stored.length, skipped, conflicts: skipped === 0 ? [] : await conflictsOf(statements, caller, prepared, new Set(stored), now) }
}

async function prepareImport(work: HeavyWork, caller: Caller, json: Uint8Array, now: string): Promise<Prepared> {
  try {
    return await prepare(work, caller, json, { now, keepAuthority: true, rules: { ...caller.rules, duplicateIdsInBatch: 'skip' }, maxStatements: most })
  } catch (error) {
    if (error instanceof TooMany) throw new Refusal('too-many-statements', `Too many statements in one batch: max ${error.max} statements.`)
    throw error
  }
}

/** Ids of the batch that were stored before, with something else. @param now stands where a timestamp was missing */
async function conflictsOf(statements: Store['statements'], { game, rules }: Caller, prepared: Prepared, isNew: ReadonlySet<number>, now: string): Promise<string[]> {
  const conflicts: string[] = []
  for (let at = 0; at < prepared.statements.length; at += compared) {
    const given = new Map(prepared.statements.slice(at, at + compared).map(({ id, body }) => [id, body]))
    for (const { id, stored, body } of await statements.bodies(game, [...given.keys()])) {
      if (isNew.has(stored) || body === given.get(id)) continue
      const { timestamp, ...sent } = JSON.parse(given.get(id)!) as Statement
      const one = timestamp === now ? sent : { ...sent, timestamp }
      if (differenceOf(one, JSON.parse(body) as Statement, rules) !== undefined) conflicts.push(id)
    }
  }
  return conflicts
}
