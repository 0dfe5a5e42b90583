import { sql, type Database } from '../../../process/database/database.ts'
import type { Batch } from './batch.ts'
import { versionOf } from './current.ts'
import { isErased } from '../../../process/database/store-failure.ts'
import { columns, newestDefinitions, rowsOf } from './statement-rows.ts'
import { teller } from './tell.ts'
import type { Watermark } from './watermark.ts'

export type { Attached, Batch, Credentialed } from './batch.ts'

/**
 * The outcome of the batch at the same index of the group. 'stale': its credential has changed since. 'overlinked': its
 * StatementRefs and those of earlier batches would make more links than one transaction may.
 */
export type Outcome = Stored | 'stale' | 'overlinked'
interface Stored {
  readonly stored: number[]
  readonly skipped: number
  /** Resolves when the definitions and names of the statements are in their tables; undefined: there are none. */
  readonly told?: Promise<unknown>
}

type Column = (typeof columns)[keyof typeof columns][number]
const parameters: readonly Column[] = Object.values(columns).flat()
const at = (column: Column) => `$${parameters.indexOf(column) + 1}`
/** Named arguments, so that no two can be swapped. */
const given = (names: readonly Column[]) => names.map((name) => `p_${name} => ${at(name)}`).join(', ')

const counted = ['request', 'game', 'id', 'activity', 'registration', 'target', 'terms'] as const
const ofRequests = columns.request as readonly Column[]
const sessions = `$${parameters.length + 1}`

/** From one place in the order to the next: there are 16 cells, each with places of its own (docs/adr/0019). */
const step = 16

// Links are counted before write_statements() takes the lock. It stores nothing for a request without a credential.
const storeStatements = sql('store_statements')`
  with o as materialized (select overlinked(${given(counted)}) as requests)
    select base, inserted, stale, o.requests as overlinked, erasures, definitions_before, definitions, told
    from o cross join lateral write_statements(
      p_credential => case when cardinality(o.requests) = 0 then ${at('credential')}::int[] else array(
        select case when n <> all (o.requests) then c end
        from unnest(${at('credential')}::int[]) with ordinality u (c, n) order by n) end,
      p_version => array(
        select ${versionOf('r.version', 'r.session')}
        from unnest(${at('version')}::int[], ${sessions}::uuid[]) r (version, session)),
      ${given(parameters.filter((name) => !ofRequests.includes(name)))}, p_step => ${step})`

const knownPairs = 50_000

/**
 * Writes groups of batches: one round trip and one commit for all of them, whatever their size.
 * @param onCommit is called with the games of each commit that stored something
 */
export function statementWriter(
  database: Database,
  watermark: Watermark,
  onCommit?: (games: ReadonlySet<number>) => void,
) {
  // Pairs (agent, name) and activities that are known to be stored, so they need not be sent again. Only the erasure of
  // a learner deletes them.
  const known = new Set<string>()
  let erasures: string | undefined
  const newest = newestDefinitions()
  const { tell, tellRest } = teller(database)
  interface Row {
    base: string
    inserted: number[]
    stale: number[]
    overlinked: number[]
    erasures: string
    definitions_before: string
    definitions: string
    told: boolean | null
  }

  /** Leaves out what is known to be stored. If something was erased since, sends everything in a second attempt. */
  async function storeRows(group: readonly Batch[]): Promise<{ rows: ReturnType<typeof rowsOf>; row: Row }> {
    for (;;) {
      const rows = rowsOf(group, known, newest)
      try {
        const { texts, mentions, sessions } = rows
        const values = [...rows.values(), erasures ?? null, newest.countFor(rows) ?? null, texts, mentions, sessions]
        const [row] = await database.run<Row>(storeStatements, values)
        erasures = row!.erasures
        return { rows, row: row! }
      } catch (error) {
        if (!isErased(error)) throw error
        known.clear()
        erasures = undefined
      }
    }
  }

  return {
    tellRest,

    async store(group: readonly Batch[]): Promise<Outcome[]> {
      const { rows, row } = await storeRows(group)
      if (known.size > knownPairs) known.clear()
      const { inserted, stale, overlinked } = row
      const isNew = new Set(inserted)
      const base = Number(row.base)
      const count = group.reduce((sum, { prepared }) => sum + prepared.statements.length, 0)
      watermark.learn(base + count * step)
      // what was the newest still is, unless another core has told a definition since
      const told = row.told ? tell(row.base, rows.told(newest.isAt(row.definitions_before))) : []
      newest.learn(rows, inserted.length === count, row.definitions_before, row.definitions)
      if (inserted.length > 0) onCommit?.(new Set(group.map(({ game }) => game)))
      let ordinal = 0
      return group.map(({ prepared }, index) => {
        const stored: number[] = []
        for (const _ of prepared.statements) if (isNew.has(++ordinal)) stored.push(base + ordinal * step)
        // checked first: its credential was left out, so it is among the stale ones, too
        if (overlinked.includes(index + 1)) return 'overlinked'
        if (stale.includes(index + 1)) return 'stale'
        if (stored.length === prepared.statements.length) for (const pair of rows.pairs[index]!) known.add(pair)
        return { stored, skipped: prepared.ids.length - stored.length, told: told[index] }
      })
    },
  }
}
