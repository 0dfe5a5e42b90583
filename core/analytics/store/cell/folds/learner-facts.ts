import {
  at,
  keys,
  lastLevelIn,
  levelsIn,
  newDaysIn,
  newsOf,
  seenIn,
  type ActiveDay,
  type LearnerFact,
  type LearnerLevel,
  type NewDay,
  type News,
} from '../../../rules/facts/facts.ts'
import { inTime } from '../../../rules/attempts.ts'
import { lengthen, none, partition, type Attempt, type Parted, type Track } from '../../../rules/facts/partition.ts'
import { packSteps, placeOf, unpackSteps, type OwnStep } from '../../../rules/facts/steps.ts'
import { addAttempt, addLeaving, addLevel, addPresence, addReturn, noSums } from '../../../rules/facts/sums.ts'
import { allBuilds } from '../../../rules/turn.ts'
import type { Key } from '../../../../records/xapi/identify.ts'
import { hexColumn, plainColumns } from './columns.ts'
import type { LearnerCounter, Run } from './counter.ts'
import * as queries from './fact-queries.ts'
import { addSums } from './learner-sums.ts'

type Row<T> = T & Record<string, unknown>
type AttemptRow = Row<Omit<Attempt, 'steps'> & { readonly steps: Buffer }>
const attemptOf = (row: AttemptRow): Attempt => ({ ...row, steps: unpackSteps(row.steps) })

/** Facts of each learner: days, levels, attempts, sessions; and their sums. */
export const learnerFacts: LearnerCounter = {
  async add(run, counts, turns, { wholeGames }) {
    const news = newsOf(turns)
    const known = await byKey(
      run<Row<LearnerFact>>(queries.learners, [counts, ...plainColumns(actorsOf(news), 'actor')]),
      ({ actor }) => actor,
    )
    const people = new Map(Array.from(news.people, ([actor, own]) => [actor, seenIn(known.get(actor), own)]))
    await moveCohorts(run, counts, known, people)
    const days = await newDays(run, counts, news, known)
    const parted = await partedOf(run, counts, news)
    const changes = levelsIn(parted, people)
    const levels = await byKey(
      run<Row<LearnerLevel>>(queries.levels, [counts, ...plainColumns([...changes.values()], 'actor', 'activity')]),
      keys.level,
    )
    const sums = noSums()
    for (const day of days) {
      addPresence(sums, day, day.previous, 1)
      if (day.next !== -1) {
        addPresence(sums, { ...day, day: day.next }, day.previous, -1)
        addPresence(sums, { ...day, day: day.next }, day.day, 1)
      }
      if (day.build === allBuilds) addReturn(sums, day.day, people.get(day.actor)!, 1)
    }
    for (const { gone, made } of parted) {
      for (const attempt of gone) addAttempt(sums, attempt, -1)
      for (const attempt of made) addAttempt(sums, attempt, 1)
      const person = people.get((made[0] ?? gone[0])?.actor ?? '')
      if (person) lastLevelIn(person, made, wholeGames)
    }
    for (const [name, level] of changes) {
      const before = levels.get(name)
      const person = people.get(level.actor)!
      if (before) addLevel(sums, before, person, -1)
      level.attempts += before?.attempts ?? 0
      level.completed += before?.completed ?? 0
      addLevel(sums, level, person, 1)
    }
    for (const [actor, person] of people) {
      const before = known.get(actor)
      if (before) addLeaving(sums, before, -1)
      addLeaving(sums, person, 1)
    }
    const [gone, made] = [parted.flatMap((one) => one.gone), parted.flatMap((one) => one.made)]
    const places = new Set(made.map(rowName))
    const removed = gone.filter((attempt) => !places.has(rowName(attempt)))
    if (removed.length > 0) await run(queries.remove, [counts, ...plainColumns(removed, ...attemptKey)])
    await run(queries.save, [counts, ...savedOf([...people.values()], [...changes.values()], days, made)])
    await addSums(run, counts, sums)
  },

  async forget(run, counts, actors) {
    const values = [counts, actors]
    const of = await byKey(run<Row<LearnerFact>>(queries.learners, values), ({ actor }) => actor)
    const before = new Map<string, number>()
    for (;;) {
      const sums = noSums()
      const levels = await run<Row<LearnerLevel>>(queries.forget.levels, values)
      const days = await run<Row<ActiveDay>>(queries.forget.days, values)
      const attempts = await run<AttemptRow>(queries.forget.attempts, values)
      for (const level of levels) addLevel(sums, level, of.get(level.actor)!, -1)
      for (const day of days.toSorted((one, other) => one.day - other.day)) {
        addPresence(sums, day, before.get(keys.days(day)) ?? -1, -1)
        before.set(keys.days(day), day.day)
        if (day.build === allBuilds) addReturn(sums, day.day, of.get(day.actor)!, -1)
      }
      for (const attempt of attempts) addAttempt(sums, attemptOf(attempt), -1)
      await addSums(run, counts, sums)
      if (Math.max(levels.length, days.length, attempts.length) < queries.atOnce) break
    }
    const sums = noSums()
    for (const learner of await run<Row<LearnerFact>>(queries.forget.learners, values)) addLeaving(sums, learner, -1)
    await addSums(run, counts, sums)
  },
}

const attemptKey = ['actor', 'activity', 'registration', 'began', 'stored'] as const
const rowName = ({ began, stored, ...track }: Attempt) => `${keys.track(track)} ${began} ${stored}`
const actorsOf = ({ people }: News) => Array.from(people.keys(), (actor) => ({ actor }))
const byKey = async <T>(rows: Promise<T[]>, name: (row: T) => string) =>
  new Map((await rows).map((row) => [name(row), row]))

async function moveCohorts(
  run: Run,
  counts: number,
  known: ReadonlyMap<Key, LearnerFact>,
  people: ReadonlyMap<Key, LearnerFact>,
): Promise<void> {
  const moved = [...people.values()].flatMap((person) => {
    const was = known.get(person.actor)
    if (!was || (was.firstDay === person.firstDay && was.firstBuild === person.firstBuild)) return []
    return [{ ...person, wasDay: was.firstDay, wasBuild: was.firstBuild }]
  })
  if (moved.length === 0) return
  const columns = plainColumns(moved, 'actor', 'wasDay', 'wasBuild', 'firstDay', 'firstBuild')
  await run(queries.moveCohorts, [counts, ...columns])
}

/** Days that are new. Those after a person's last day, and that day, need no look. */
async function newDays(
  run: Run,
  counts: number,
  { days }: News,
  known: ReadonlyMap<Key, LearnerFact>,
): Promise<NewDay[]> {
  const found = new Map<string, number[]>()
  const asked: ActiveDay[] = []
  for (const one of days.values()) {
    const person = known.get(one.actor)
    const lastDay = person?.lastDay ?? 0
    const isLast = one.day === lastDay && (one.build === allBuilds || one.build === person!.lastBuild)
    if (lastDay > 0 && (isLast || (one.build === allBuilds && one.day > lastDay)))
      at(found, keys.days(one), () => []).push(lastDay)
    else asked.push(one)
  }
  if (asked.length > 0) {
    const rows = await run<Row<ActiveDay>>(queries.days, [counts, ...plainColumns(asked, 'actor', 'build', 'day')])
    for (const row of rows) at(found, keys.days(row), () => []).push(row.day)
  }
  const all = Map.groupBy(days.values(), keys.days)
  return Array.from(all, ([name, own]) => newDaysIn(found.get(name) ?? [], own)).flat()
}

/** How attempts and sessions change. */
async function partedOf(run: Run, counts: number, { tracks }: News): Promise<Parted[]> {
  const all = [...tracks.values()]
  const found = await run<AttemptRow>(queries.last, [counts, ...trackColumns(all)])
  const rows = new Map(found.map((row) => [keys.track(row), [attemptOf(row)]]))
  const parted: Parted[] = []
  let late: Late[] = []
  for (const { track, steps } of all) {
    const own = rows.get(keys.track(track)) ?? []
    if (track.activity === none) parted.push(lengthen(track, own, steps))
    else if (own[0] && inTime(own[0].steps[0]!, steps[0]!) > 0)
      late.push({ track, steps, rows: new Map(), began: placeOf(steps[0]!), stored: steps[0]!.stored })
    else parted.push(partition(track, own, steps, true)!)
  }
  while (late.length > 0) {
    const read = await run<AttemptRow>(queries.around, [
      counts,
      ...trackColumns(late),
      ...plainColumns(late, 'began', 'stored'),
    ])
    const around = Map.groupBy(read, keys.track)
    late = late.filter((one) => {
      const next = around.get(keys.track(one.track)) ?? []
      for (const row of next) one.rows.set(row.stored, attemptOf(row))
      const own = [...one.rows.values()].toSorted((a, b) => a.began - b.began || a.stored - b.stored)
      const parts = partition(one.track, own, one.steps, next.length < queries.window)
      if (parts) parted.push(parts)
      else Object.assign(one, { began: own.at(-1)!.began, stored: own.at(-1)!.stored })
      return !parts
    })
  }
  return parted
}

/** A track with steps before its last attempt, and what was read of it: up to a place. */
interface Late {
  readonly track: Track
  readonly steps: readonly OwnStep[]
  readonly rows: Map<number, Attempt>
  readonly began: number
  readonly stored: number
}

const trackColumns = (all: readonly { readonly track: Track }[]) =>
  plainColumns(
    all.map(({ track }) => track),
    'actor',
    'activity',
    'registration',
  )

const savedOf = (
  people: readonly LearnerFact[],
  levels: readonly LearnerLevel[],
  days: readonly ActiveDay[],
  attempts: readonly Attempt[],
): unknown[] => [
  ...plainColumns(people, 'actor', 'firstAt', 'firstDay', 'firstBuild', 'lastAt', 'lastDay', 'lastBuild'),
  ...plainColumns(people, 'level', 'levelAt', 'levelStored', 'completed'),
  ...plainColumns(levels, 'actor', 'activity', 'attempts', 'completed'),
  ...plainColumns(days, 'actor', 'build', 'day'),
  ...plainColumns(attempts, ...attemptKey, 'day', 'build', 'millis', 'score', 'completed', 'success'),
  hexColumn(attempts.map(({ steps }) => packSteps(steps))),
]
