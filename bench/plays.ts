import { randomUUID } from 'node:crypto'
import { countPlays, keepPlays } from '../core/analytics/store/cell/folds/plays.ts'
import { playStore } from '../core/analytics/store/cell/plays.ts'
import { openDatabase } from '../core/process/database/database.ts'
import { openStore } from '../core/store.ts'
import { never } from '../core/analytics/rules/person-days.ts'
import { foldPlays } from '../core/analytics/rules/played.ts'
import type { Person, PlayCounts, PlayTurn } from '../core/analytics/rules/play-rows.ts'
import { kinds, type Kind } from '../core/analytics/rules/plays.ts'

/**
 * Stores what a year of a game makes of the verbs of serious games, and times each list of it:
 * `DATABASE_URL=… node start/bootstrap.mjs bench/plays.ts 10000000`, with an empty database. Statements are made in
 * memory.
 */
const size = Number(process.argv[2] ?? 1_000_000)
const url = process.env['DATABASE_URL']
if (url === undefined) throw new Error('DATABASE_URL must name an empty database.')

const year = 365
const perSession = 20
const sessionsOfLearner = 5
const today = Math.floor(Date.now() / 86_400_000)
const game = 1
/** Things of each kind: 50 levels, 100 places, 100 questions, 200 items. */
const ofKind: readonly [Kind, number][] = [
  [kinds.progressed, 50],
  [kinds.accessed, 100],
  [kinds.skipped, 100],
  [kinds.chosen, 100],
  [kinds.used, 200],
]
const options = { connections: 4, wait: 5_000, statementTimeout: 600_000 }
const store = openStore({ url, ...options })
await store.migrate()
const database = openDatabase({ url, ...options, cell: 1 })
await fill()
await database.knex.raw('vacuum analyze')
await time()
await database.knex.destroy()
await store.close()

/** Each learner is folded alone: counts of learners are sums. */
async function fill(): Promise<void> {
  const activities = Array.from({ length: 200 }, () => randomUUID())
  await database.knex.raw(
    `insert into tally_name (game, key, iri, name) select ?, key, 'https://games.example/' || key, 'Thing'
      from unnest(?::uuid[]) key`,
    [game, activities],
  )
  const things = activities.map((activity, n) => ({ number: n + 1, activity }))
  await keepPlays(database.run, game, { things, options: [], persons: [] })
  const sums = { days: new Map(), choices: new Map(), people: new Map() } as Record<
    keyof PlayCounts,
    Map<string, object>
  >
  let persons: Person[] = []
  const learners = Math.ceil(size / perSession / sessionsOfLearner)
  for (let learner = 0; learner < learners; learner++) {
    const folded = foldPlays(
      { things, nextThing: 9_999, options: [], people: [] },
      turnsOf(learner / learners, activities),
    )
    persons.push(...folded.persons)
    add(sums.days, folded.days, ['statements'])
    add(sums.choices, folded.choices, ['chosen', 'right', 'wrong', 'unlocked'])
    add(sums.people, folded.people, ['people'])
    if (persons.length < 5_000 && learner < learners - 1) continue
    await keepPlays(database.run, game, { things: [], options: [], persons })
    persons = []
  }
  for (const name of ['days', 'choices', 'people'] as const) {
    const rows = [...sums[name].values()]
    for (let at = 0; at < rows.length; at += 10_000)
      await countPlays(database.run, game, { days: [], choices: [], people: [], [name]: rows.slice(at, at + 10_000) })
    console.log(`${rows.length} rows of ${name}`)
  }
}

/** Learners begin all over the year and come back after some days. */
function turnsOf(part: number, activities: readonly string[]): PlayTurn[] {
  const actor = randomUUID()
  const turns: PlayTurn[] = []
  let day = Math.floor(part * year)
  for (let session = 0; session < sessionsOfLearner; session++) {
    for (let n = 0; n < perSession; n++) {
      const [kind, count] = ofKind[n % ofKind.length]!
      const at = today - year + 1 + Math.min(day, year - 1)
      const response = `option ${1 + Math.floor(Math.random() * 5)}`
      turns.push({
        kind,
        actor,
        activity: activities[Math.floor(Math.random() * count)]!,
        build: 1 + Math.floor(day / 31),
        at: at * 86_400_000 + turns.length,
        day: at,
        team: false,
        progress: kind === kinds.progressed ? Math.random() : undefined,
        choice: kind === kinds.chosen ? { response, name: '', given: true, right: Math.random() < 0.5 } : undefined,
      })
    }
    day += Math.ceil(-Math.log(1 - Math.random()) * 9)
  }
  return turns
}

function add(sums: Map<string, object>, rows: readonly object[], counts: readonly string[]): void {
  for (const row of rows as Record<string, number>[]) {
    const key = Object.keys(row)
      .filter((name) => !counts.includes(name))
      .map((name) => row[name])
      .join(' ')
    const known = sums.get(key) as Record<string, number> | undefined
    if (known) for (const name of counts) known[name]! += row[name]!
    else sums.set(key, { ...row })
  }
}

async function time(): Promise<void> {
  const { list, players } = playStore(database)
  const [level] = await database.run<{ activity: string }>(
    { name: 'bench_level', text: 'select activity from play_thing where game = $1 and number = 1' },
    [game],
  )
  const first = { last: never, actor: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
  for (const [days, ago] of [
    [1, 0],
    [30, 0],
    [90, 0],
    [365, 0],
    [30, 180],
    [180, 180],
  ] as const) {
    for (const build of [undefined, 5]) {
      const range = { from: today - ago - days + 1, to: today - ago, build }
      const asked: Record<string, () => Promise<unknown>> = {
        completables: () => list(game, range, [kinds.progressed]),
        progress: () => players(game, range, level!.activity, first, 51),
        reachables: () => list(game, range, [kinds.accessed, kinds.skipped]),
        alternatives: () => list(game, range, [kinds.chosen, kinds.unlocked]),
        targets: () => list(game, range, [kinds.interacted, kinds.used]),
      }
      const told: string[] = []
      for (const [name, ask] of Object.entries(asked)) {
        const times: number[] = []
        for (let n = 0; n < 5; n++) {
          const began = performance.now()
          await ask()
          times.push(performance.now() - began)
        }
        told.push(`${name} ${times.toSorted((a, b) => a - b)[0]!.toFixed(0)} to ${Math.max(...times).toFixed(0)} ms`)
      }
      console.log(`${days} days until ${ago} days ago, ${build ? `build ${build}` : 'all builds'}: ${told.join(', ')}`)
    }
  }
}
