import { randomUUID } from 'node:crypto'
import { answerStore, type Part } from '../core/analytics/store/cell/answers.ts'
import { learnerFacts } from '../core/analytics/store/cell/folds/learner-facts.ts'
import { openDatabase, type Database } from '../core/process/database/database.ts'
import { openStore } from '../core/store.ts'
import { saidOf } from '../core/analytics/rules/said.ts'
import type { Turn } from '../core/analytics/rules/turn.ts'
import type { Statement } from '../core/records/xapi/types.ts'

/**
 * Folds a year of a game into the answers and times each of them: `node start/bootstrap.mjs bench/answers.ts 10000000`.
 * It needs an empty database, named by DATABASE_URL; with 0 it times the one that is there. Statements are made in
 * memory, and only their facts are stored.
 */
const size = Number(process.argv[2] ?? 1_000_000)
const url = process.env['DATABASE_URL']
if (url === undefined) throw new Error('DATABASE_URL must name an empty database.')

const perSession = 20
const levelsOfGame = 50
const batch = 5_000
const year = 365
const today = Math.floor(Date.now() / 86_400_000)
const adl = 'http://adlnet.gov/expapi/verbs/'

const store = openStore({ url, connections: 4, wait: 5_000, statementTimeout: 600_000 })
await store.migrate()
const database = openDatabase({ url, connections: 4, wait: 5_000, statementTimeout: 600_000, cell: 1 })
const game = 1
if (size > 0) {
  await database.knex.raw(`insert into game (name) values ('bench')`)
  await fold()
  await database.knex.raw('vacuum analyze')
}
await time()
await database.knex.destroy()
await store.close()

function* sessions(): Generator<{ day: number; learner: number }> {
  const all = Math.ceil(size / perSession)
  const learners = Math.ceil(all / 5)
  const days: number[][] = Array.from({ length: year }, () => [])
  for (let learner = 0; learner < learners; learner++) {
    const first = Math.floor((learner / learners) * year)
    for (let n = 0, day = first; n < 5; n++, day += Math.ceil(-Math.log(1 - Math.random()) * 9))
      days[Math.min(day, year - 1)]!.push(learner)
  }
  for (const [day, of] of days.entries()) for (const learner of of) yield { day: today - year + 1 + day, learner }
}

async function fold(): Promise<void> {
  const actors: string[] = []
  const activities = Array.from({ length: levelsOfGame }, () => randomUUID())
  await database.knex.raw(
    `insert into tally_name (game, key, iri, name) select ?, key, 'https://games.example/' || key, 'Level'
      from unnest(?::uuid[]) key`,
    [game, activities],
  )
  let turns: Turn[] = []
  let stored = 0
  let done = 0
  let cpu = process.cpuUsage()
  const began = performance.now()
  for (const { day, learner } of sessions()) {
    const actor = (actors[learner] ??= randomUUID())
    const registration = randomUUID()
    const first = Math.floor(Math.random() * (levelsOfGame - 4))
    stored = Math.max(stored + 1, day * 86_400_000_000)
    const add = (level: number, json: Partial<Statement>, seconds: number) => {
      const at = Math.floor(stored / 1_000)
      const statement = {
        actor: {},
        verb: { id: `${adl}experienced` },
        object: { id: `https://games.example/${level}` },
        timestamp: new Date(stored / 1_000 + seconds * 1_000).toISOString(),
        ...json,
      }
      turns.push({
        stored,
        at,
        day,
        team: false,
        actor,
        verb: registration,
        activity: activities[level]!,
        registration,
        build: 1 + Math.floor((day - today + year) / 31),
        retracted: false,
        voided: false,
        voiding: false,
        ...saidOf(statement, at, stored, true),
      })
      stored++
    }
    for (let n = 0; n < 4; n++) {
      const seconds = Math.exp(3 + Math.random() * 3)
      const at = n * 400
      add(first + n, { verb: { id: `${adl}initialized` } }, at)
      for (let m = 0; m < 3; m++) add(first + n, {}, at + (seconds * m) / 3)
      const score = { scaled: Math.round(Math.random() * 100) / 100 }
      const verb = { id: `${adl}${Math.random() < 0.2 ? 'failed' : 'completed'}` }
      if (Math.random() < 0.85) add(first + n, { verb, result: { score } }, at + seconds)
      else add(first + n, {}, at + seconds)
    }
    if (turns.length >= batch) {
      await add2(turns)
      done += turns.length
      turns = []
      if (done % 100_000 < batch) {
        const used = process.cpuUsage(cpu)
        console.log(
          `${done} statements, ${Math.round(done / ((performance.now() - began) / 1_000))} a second;`,
          `core ${Math.round((used.user + used.system) / 100_000)} µs of processor each`,
        )
        cpu = process.cpuUsage()
      }
    }
  }
  await add2(turns)

  const known = { wholeGames: new Set<string>(), firstDays: new Map<string, number>() }
  async function add2(list: Turn[]): Promise<void> {
    await database.transaction(async (run) => learnerFacts.add(run, game, list, known))
  }
}

async function time(): Promise<void> {
  const parts: (readonly Part[])[] = [
    ['funnel'],
    ['levels'],
    ['leaving'],
    ['sessions'],
    ['returns'],
    ['rejections'],
    ['funnel', 'levels', 'leaving', 'sessions', 'returns', 'rejections'],
  ]
  for (const days of [1, 30, 90, 365]) {
    for (const build of [undefined, 5]) {
      for (const some of parts) {
        const asked = { from: today - days + 1, to: today, build, parts: new Set(some) }
        const times: number[] = []
        for (let n = 0; n < 15; n++) {
          const began = performance.now()
          await answerStore(database).read(game, asked)
          times.push(performance.now() - began)
        }
        const blocks = await blocksOf((counted) => answerStore(counted).read(game, asked))
        // others use the machine, too
        const least = Math.min(...times)
        const what = some.length === 1 ? some[0] : 'all'
        console.log(
          `${days} days, ${build ? `build ${build}` : 'all builds'}, ${what}: ${least.toFixed(1)} ms, ${blocks}`,
        )
      }
    }
  }
}

/** Blocks that each query reads, as EXPLAIN counts them. */
async function blocksOf(work: (counted: Pick<Database, 'snapshot'>) => Promise<unknown>): Promise<string> {
  const blocks: Record<string, string> = {}
  let sum = 0
  await work({
    snapshot: (inside) =>
      database.snapshot((run) =>
        inside(async (query, values) => {
          const [row] = await run<{ 'QUERY PLAN': [{ Plan: Record<string, number>; 'Execution Time': number }] }>(
            { name: `explain_${query.name}`, text: `explain (analyze, buffers, format json) ${query.text}` },
            values,
          )
          const { Plan, 'Execution Time': ms } = row!['QUERY PLAN'][0]
          const read = Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!
          sum += read
          blocks[query.name] = `${read} in ${ms.toFixed(1)} ms`
          return run(query, values)
        }),
      ),
  })
  return `${sum} blocks ${JSON.stringify(blocks)}`
}
