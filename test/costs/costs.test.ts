import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fill } from '../../bench/fill.ts'
import { manyGamesOf } from '../../bench/shapes/many-games.ts'
import type { Shape } from '../../bench/shapes/shape.ts'
import { shapes } from '../../bench/shapes/shapes.ts'
import { credentialsOf } from '../../bench/system.ts'
import type { FilterKeys } from '../../core/records/xapi/statement-filter.ts'
import { openStore, storeOver } from '../../core/store.ts'
import { databaseAt, freshDatabase } from '../support/database.ts'
import { player, statements, activity, verb } from '../support/statements.ts'
import { countingDatabase, type Cost, type CountingDatabase } from './counting.ts'
import { elsewhere, hotFiles, hotStatements } from './hot-statements.ts'
import { foldTallies, plant } from './plant.ts'
import { absent, probesOf, type Probes } from './probes.ts'
import { beliefs, believe, type Belief } from './statistics.ts'

const whole = process.env['LRS_TEST_COSTS'] === 'all'
/** Statements. */
const sizes: readonly [number, number] = whole ? [1_000, 10_000] : [300, 3_000]
const modes = ['force_generic_plan', 'force_custom_plan'] as const
/** `npm run costs` measures all. `npm test` measures the statistics and plan modes with the most different plans. */
const isChosen = (belief: Belief, mode: string) =>
  whole ||
  `${belief}, ${mode}` === 'fresh, force_generic_plan' ||
  (mode === 'force_custom_plan' && ['one value', 'all different'].includes(belief))

type Costs = Map<string, Cost[]>

interface Measured {
  probes: Probes
  /** By statistics and plan mode. */
  costs: Map<string, Costs>
}

/** Costs of every hot statement in a store of this shape and size. */
async function measure(shape: Shape, size: number): Promise<Measured> {
  const fresh = await freshDatabase()
  const tables = await fresh.sql<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  for (const { name } of tables) await fresh.sql(`alter table ${name} set (autovacuum_enabled = off)`)
  const store = openStore({ url: fresh.url, connections: 2, wait: 5_000, statementTimeout: 30_000 })
  const found = new Map<string, Costs>()
  // this connection makes its plans while the tables are empty, and keeps them
  const early = await countingDatabase(fresh.url, 'force_generic_plan')
  const late: CountingDatabase[] = []
  try {
    const credentials = await credentialsOf(store, fresh.url, shape.games)
    const [first] = credentials
    await costsOf(early, await probesOf(fresh, first!))
    const rare = {
      actor: player('rare'),
      verb: verb('rare'),
      object: activity('rare'),
      context: { registration: absent.replace('f', 'e'), instructor: player('rarer') },
    }
    await fill(
      store,
      [first!],
      {
        name: 'rare',
        games: 1,
        traffic: () => ({ next: () => ({ id: '', json: JSON.stringify(statements(1, rare)[0]), game: 0 }) }),
      },
      0,
      3,
      () => {},
    )
    await fill(store, credentials, shape, 3, size, () => {})
    await plant(fresh, size)
    await foldTallies(fresh, store, first!.game)
    const probes = await probesOf(fresh, first!)
    found.set('planned while empty', await costsOf(early, probes))
    for (const mode of modes) late.push(await countingDatabase(fresh.url, mode))
    for (const belief of beliefs) {
      await believe(fresh.sql, belief)
      for (const [index, mode] of modes.entries())
        if (isChosen(belief, mode)) found.set(`${belief}, ${mode}`, await costsOf(late[index]!, probes))
    }
    return { probes, costs: found }
  } finally {
    for (const one of [early, ...late]) await one.close()
    await store.close()
    await fresh.close()
  }
}

const { sql, close } = databaseAt(process.env.LRS_TEST_DATABASE!)
const [server] = await sql<{ has: boolean }>(`select to_regproc('pg_clear_relation_stats') is not null as has`)
await close()
const setsStatistics = server!.has
if (!setsStatistics)
  console.warn('LEFT OUT: the costs of SQL statements. Postgres 18 is the first that takes statistics.')

/** Names of all prepared statements that were sent. */
const asked = new Set<string>()

async function costsOf(counting: CountingDatabase, probes: Probes): Promise<Costs> {
  const costs: Costs = new Map()
  for (const { what, ask } of hotStatements)
    costs.set(what, await counting.costs(() => ask(storeOver(counting.database), probes)))
  for (const { name } of [...costs.values()].flat()) asked.add(name)
  return costs
}

/**
 * Blocks of a page with several filters: the first query looks at 250 candidates per way, then there are seeks for each
 * entry of the rarest filter.
 */
const firstLook = 2_500
const ofEntry = 60

/** Blocks that each further row of an answer may cost. */
const ofRow = 10
/** Further blocks of all looks of one SQL statement, because larger indexes have more levels. */
const ofHeight = 150

/** Entries of the rarest of these filters; those of related terms count with their filter. */
function rarest(
  { agent, relatedAgent, verb, activity, relatedActivity, registration }: FilterKeys,
  { entries }: Probes,
): number {
  const filters = [[agent, relatedAgent], [verb], [activity, relatedActivity], [registration]].map((keys) =>
    keys.filter((key) => key !== undefined),
  )
  return Math.min(
    ...filters
      .filter(({ length }) => length > 0)
      .map((keys) => keys.reduce((sum, key) => sum + (entries.get(key) ?? 0), 0)),
  )
}

const sum = (costs: readonly Cost[], value: 'blocks' | 'rows') => costs.reduce((sum, cost) => sum + cost[value], 0)

/** `npm run costs` measures every shape, `npm test` the one that Postgres planned worst. */
const chosen = [...shapes.filter(({ name }) => name !== 'many-games'), manyGamesOf(400)].filter(
  ({ name }) => whole || name === 'one-grouping',
)

describe.each(chosen)('with data of the shape $name', (shape) => {
  test.skipIf(!setsStatistics)(
    'every hot statement costs what its answer costs, whatever Postgres believes of the tables',
    async () => {
      const [small, large] = [await measure(shape, sizes[0]), await measure(shape, sizes[1])]
      const wrong: string[] = []
      const { probes } = large
      for (const [how, costs] of large.costs) {
        for (const { what, each, several } of hotStatements) {
          const [before, after] = [small.costs.get(how)!.get(what)!, costs.get(what)!]
          // the number of games and tallies also grows ten times
          const grown =
            (each ? 15 : 1.5) * sum(before, 'blocks') +
            ofRow * Math.max(0, sum(after, 'rows') - sum(before, 'rows')) +
            ofHeight
          const blocks = sum(after, 'blocks')
          if (blocks > Math.max(grown, several ? firstLook + ofEntry * rarest(several(probes), probes) : 0))
            wrong.push(`${how}: ${what}: ${sum(before, 'blocks')} blocks, then ${blocks}`)
          for (const { name, scanned } of costs.get(what)!) {
            for (const [table, rows] of Object.entries(scanned))
              if (rows > 100 && !each) wrong.push(`${how}: ${what}: ${name} scans ${table}, ${rows} rows`)
          }
        }
      }
      expect(wrong).toEqual([])
    },
  )
})

test.skipIf(!setsStatistics)('every prepared statement of the files that are hot is asked for', async () => {
  if (asked.size === 0) await measure(shapes[0]!, 400)
  const written = hotFiles.flatMap((file) =>
    [...readFileSync(`core/${file}.ts`, 'utf8').matchAll(/name: '(\w+)'/g)].map(([, name]) => name!),
  )
  expect(written.length).toBeGreaterThan(20)
  expect(written.filter((name) => !asked.has(name) && !elsewhere.has(name))).toEqual([])
})
