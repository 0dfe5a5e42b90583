import { randomUUID } from 'node:crypto'
import { voiding, type Json } from '../support/statements.ts'
import { sessionOf } from './serious-game.ts'

const dayMs = 86_400_000
const platforms = ['web', 'phone', 'tablet', undefined]

/** Traffic as it comes: of people and of teams, some of it late, early, without a time, in another order, voided. */
export function* messySession(learners: number, now: number, random: () => number): Generator<object> {
  const learner = Math.floor(random() ** 2 * learners)
  const isTeam = random() < 0.05
  // devices that were offline, and imports of what happened before the game was here
  const late = random() < 0.1 ? random() * 20 : random() < 0.02 ? 100 + random() * 150 : 0
  const began = now - late * dayMs - Math.floor(random() * 3_600_000)
  for (const one of sessionOf(learner, began, random) as Generator<Json>) {
    const statement = isTeam ? { ...one, actor: { ...(one['actor'] as object), objectType: 'Group' } } : one
    // some sessions change it on the way
    const own = platforms[(learner + Math.floor(Date.parse(String(one['timestamp'])) / 300_000)) % 4]
    const context = { ...(statement['context'] as object), ...(own && { platform: own }) }
    yield timed({ ...statement, context }, random)
    if (random() < 0.02) yield voiding(String(one['id']), { id: randomUUID(), actor: statement['actor'] })
  }
}

function timed(statement: Json, random: () => number): Json {
  const { timestamp, ...rest } = statement
  const at = Date.parse(String(timestamp))
  const kind = random()
  if (kind < 0.03) return rest
  if (kind < 0.05) return { ...rest, timestamp: new Date(at + random() * 3 * dayMs).toISOString() }
  if (kind < 0.06) return { ...rest, timestamp: '1970-01-01T00:00:07Z' }
  if (kind < 0.15) return { ...rest, timestamp: new Date(at + 13 * 3_600_000).toISOString().replace('Z', '+13:00') }
  return statement
}

/** The same in another order: nearly each is near its place, but for a voiding one, which may be before its target. */
export function disordered<Item>(list: readonly Item[], random: () => number): Item[] {
  const placed = list.map((item, n) => ({ item, place: n + (random() < 0.2 ? random() * 40 : 0) }))
  return placed.toSorted((one, other) => one.place - other.place).map(({ item }) => item)
}
