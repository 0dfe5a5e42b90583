import { Client } from 'pg'
import { optionsOf } from '../../core/process/database/planning.ts'
import type { Query, Settings } from '../load/job.ts'

/** One way to read the pages that are compared, with its own SQL and settings. */
export interface Candidate {
  name: string
  queries: readonly Query[]
  settings: Settings
}

/** How many queries of a candidate are run, and how many times. */
const tried = 20
const times = 3
/** Milliseconds that a query may take; a candidate with a slower one is dropped. */
const patience = 500

/**
 * Runs some queries of every candidate and returns the fastest candidate, with the rows that it found.
 * @throws Error when two candidates find different rows
 */
export async function fastestOf(
  url: string,
  candidates: readonly Candidate[],
): Promise<{ fastest: Candidate; found: string[][] }> {
  let best: { candidate: Candidate; ms: number; found: string[][] } | undefined
  for (const candidate of candidates) {
    const outcome = await timed(url, candidate, best?.ms)
    if (!outcome) continue
    if (best && JSON.stringify(best.found) !== JSON.stringify(outcome.found))
      throw new Error(`${candidate.name} and ${best.candidate.name} find other rows`)
    if (!best || outcome.ms < best.ms) best = { candidate, ...outcome }
  }
  if (!best) throw new Error(`no floor answers within ${patience} ms`)
  return { fastest: best.candidate, found: best.found }
}

/** Undefined when a query takes too long. Stops early at three times the time of the best candidate so far. */
async function timed(url: string, { queries, settings }: Candidate, best = Infinity) {
  const client = new Client({
    connectionString: url,
    options: optionsOf({ ...settings, statement_timeout: String(patience) }),
  })
  await client.connect()
  try {
    const chosen = queries.slice(0, tried)
    const found: string[][] = []
    // the first run is not timed: it plans and fills the cache
    for (const query of chosen) found.push(await placesOf(client, query))
    let ms = 0
    for (let time = 0; time < times && ms < 3 * best; time++) {
      const begin = performance.now()
      for (const query of chosen) await placesOf(client, query)
      ms += performance.now() - begin
    }
    return { ms, found }
  } catch (error) {
    if ((error as { code?: string }).code === '57014') return undefined
    throw error
  } finally {
    await client.end()
  }
}

/** The `stored` of each row of a page. */
export async function placesOf(client: Client, { name, text, values }: Query): Promise<string[]> {
  const { rows } = await client.query<{ current: boolean; stored: string | null }>({ name, text, values })
  if (!rows[0]?.current) throw new Error('the floor finds no credential')
  return rows.flatMap(({ stored }) => stored ?? [])
}
