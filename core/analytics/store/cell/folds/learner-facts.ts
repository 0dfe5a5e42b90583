import {
  firstTry,
  isSameFirst,
  lastLevelIn,
  levelsIn,
  newDaysIn,
  newsOf,
  seenIn,
  takeFirst,
  type ActiveDay,
  type LearnerFact,
  type LearnerLevel,
  type NewDay,
  type News,
  type TrackNews,
} from '../../../rules/facts/facts.ts'
import { inTime } from '../../../rules/attempts.ts'
import { lengthen, none, partition, type Attempt, type Parted } from '../../../rules/facts/partition.ts'
import { packSteps, positionOf, unpackSteps } from '../../../rules/facts/steps.ts'
import {
  addAttempt,
  addFirst,
  addLeaving,
  addLevel,
  addPresence,
  addReturn,
  noSums,
} from '../../../rules/facts/sums.ts'
import { allBuilds } from '../../../rules/turn.ts'
import type { Key } from '../../../../records/xapi/identify.ts'
import { hexColumn, placeColumn, plainColumns } from './columns.ts'
import type { LearnerCounter, Run } from './counter.ts'
import * as queries from './fact-queries.ts'
import { addSums } from './learner-sums.ts'

type Row<T> = T & Record<string, unknown>
type AttemptRow = Row<Omit<Attempt, 'steps' | 'actor' | 'registration'> & { readonly steps: Buffer }>
/** A row that was found for one of those that were asked for, from 1. */
type Found<T> = Row<T & { readonly n: number }>

/** Facts of each learner: days, levels, attempts, sessions; and their sums. */
export const learnerFacts: LearnerCounter = {
  async add(run, counts, turns, { wholeGames, firstDays }) {
    const news = newsOf(turns)
    const own = news.filter(({ team }) => !team)
    const known = await learnersOf(run, [counts, ...plainColumns(own, 'actor')])
    const people = new Map(
      own.map(({ actor, turns }) => [actor, seenIn(known.get(actor), turns, firstDays.get(actor))]),
    )
    await moveCohorts(run, counts, known, people)
    const days = await newDays(run, counts, news, known)
    const parted = await partedOf(run, counts, news)
    const levels = levelsIn(parted, people)
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
    const found = await run<Found<LearnerLevel>>(queries.levels, [counts, ...plainColumns(levels, 'actor', 'activity')])
    const same = new Set<LearnerLevel>()
    for (const before of found) {
      const level = levels[before.n - 1]!
      addLevel(sums, { ...level, ...before }, people.get(level.actor)!, -1)
      takeFirst(level, before)
      if (isSameFirst(level, before)) same.add(level)
      else addFirst(sums, { ...level, ...before }, -1)
      level.attempts += before.attempts
      level.completed += before.completed
      level.place = before.place
    }
    for (const level of levels) {
      addLevel(sums, level, people.get(level.actor)!, 1)
      if (!same.has(level)) addFirst(sums, level, 1)
    }
    for (const [actor, person] of people) {
      const before = known.get(actor)
      if (before) addLeaving(sums, before, -1)
      addLeaving(sums, person, 1)
    }
    const [gone, made] = [parted.flatMap((one) => one.gone), parted.flatMap((one) => one.made)]
    const places = new Set(made.map(({ place }) => place))
    const removed = gone.filter(({ place }) => !places.has(place))
    if (removed.length > 0) await run(queries.remove, [placeColumn(removed)])
    const persons = [...people.values()]
    await run(queries.save, [
      counts,
      placeColumn(persons),
      ...plainColumns(persons, 'actor', 'firstAt', 'firstDay', 'firstBuild', 'lastAt', 'lastDay', 'lastBuild'),
      ...plainColumns(persons, 'level', 'levelAt', 'levelStored', 'completed'),
      placeColumn(levels),
      ...plainColumns(levels, 'actor', 'activity', 'attempts', 'completed', ...firstTry),
      placeColumn(made),
      ...plainColumns(made, ...attemptKey, 'day', 'build', 'millis', 'score', 'completed', 'success'),
      hexColumn(made.map(({ steps }) => packSteps(steps))),
      ...plainColumns(days, 'actor', 'build', 'day'),
    ])
    await addSums(run, counts, sums)
  },

  async forget(run, counts, actors) {
    const values = [counts, actors]
    const of = await learnersOf(run, values)
    const before = new Map<string, number>()
    for (;;) {
      const sums = noSums()
      const levels = await run<Row<LearnerLevel>>(queries.forget.levels, values)
      const days = await run<Row<ActiveDay>>(queries.forget.days, values)
      const attempts = await run<AttemptRow>(queries.forget.attempts, values)
      for (const level of levels) {
        addLevel(sums, level, of.get(level.actor)!, -1)
        addFirst(sums, level, -1)
      }
      for (const day of days.toSorted((one, other) => one.day - other.day)) {
        const name = `${day.actor} ${day.build}`
        addPresence(sums, day, before.get(name) ?? -1, -1)
        before.set(name, day.day)
        if (day.build === allBuilds) addReturn(sums, day.day, of.get(day.actor)!, -1)
      }
      for (const attempt of attempts) addAttempt(sums, attempt, -1)
      await addSums(run, counts, sums)
      if (Math.max(levels.length, days.length, attempts.length) < queries.atOnce) break
    }
    const sums = noSums()
    for (const learner of await run<Row<LearnerFact>>(queries.forget.learners, values)) addLeaving(sums, learner, -1)
    await addSums(run, counts, sums)
  },
}

const attemptKey = ['actor', 'activity', 'registration', 'began', 'stored'] as const
const learnersOf = async (run: Run, values: unknown[]) =>
  new Map((await run<Row<LearnerFact>>(queries.learners, values)).map((row) => [row.actor, row]))

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
  news: readonly News[],
  known: ReadonlyMap<Key, LearnerFact>,
): Promise<NewDay[]> {
  const all = news.flatMap(({ days }) => days)
  const found = all.map((): number[] => [])
  const asked: (ActiveDay & { readonly place: number })[] = []
  for (const [place, { actor, build, days }] of all.entries()) {
    const person = known.get(actor)
    const lastDay = person?.lastDay ?? 0
    for (const day of days) {
      const isLast = day === lastDay && (build === allBuilds || build === person!.lastBuild)
      if (lastDay > 0 && (isLast || (build === allBuilds && day > lastDay))) found[place]!.push(lastDay)
      else asked.push({ actor, build, day, place })
    }
  }
  if (asked.length > 0) {
    const columns = plainColumns(asked, 'actor', 'build', 'day')
    for (const { n, day } of await run<Found<ActiveDay>>(queries.days, [counts, ...columns]))
      found[asked[n - 1]!.place]!.push(day)
  }
  return all.flatMap((own, place) => newDaysIn(found[place]!, own))
}

/** How attempts and sessions change. */
async function partedOf(run: Run, counts: number, news: readonly News[]): Promise<Parted[]> {
  const all = news.flatMap(({ tracks }) => tracks)
  const last = all.map((): AttemptRow | undefined => undefined)
  for (const row of await run<Found<AttemptRow>>(queries.last, [counts, ...trackColumns(all)])) last[row.n - 1] = row
  const parted: Parted[] = []
  let late: Late[] = []
  for (const [n, { track, steps }] of all.entries()) {
    const own = last[n] ? [attemptOf(track, last[n])] : []
    if (track.activity === none) parted.push(lengthen(track, own, steps))
    else if (own[0] && inTime(own[0].steps[0]!, steps[0]!) > 0)
      late.push({ track, steps, rows: new Map(), began: positionOf(steps[0]!), stored: steps[0]!.stored })
    else parted.push(partition(track, own, steps, true)!)
  }
  while (late.length > 0) {
    const place = [...trackColumns(late), ...plainColumns(late, 'began', 'stored')]
    const read = await run<Found<AttemptRow>>(queries.around, [counts, ...place])
    const around = Map.groupBy(read, ({ n }) => n)
    late = late.filter((one, n) => {
      const next = around.get(n + 1) ?? []
      for (const row of next) one.rows.set(row.stored, attemptOf(one.track, row))
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
interface Late extends TrackNews {
  readonly rows: Map<number, Attempt>
  readonly began: number
  readonly stored: number
}

const attemptOf = (track: TrackNews['track'], { steps, ...row }: AttemptRow): Attempt => ({
  ...row,
  ...track,
  steps: unpackSteps(steps),
})

const trackColumns = (all: readonly TrackNews[]) =>
  plainColumns(
    all.map(({ track }) => track),
    'actor',
    'activity',
    'registration',
  )
