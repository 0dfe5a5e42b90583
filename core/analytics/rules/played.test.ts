import fc from 'fast-check'
import { expect, test } from 'vitest'
import { never, progressBins, reachedIn } from './person-days.ts'
import { periodsOf } from './facts/periods.ts'
import { foldPlays, playsOff, mostOptions, mostThings, noResponse, otherOption } from './played.ts'
import type { Known, PlayCounts, PlayTurn } from './play-rows.ts'
import { kinds, type Kind } from './plays.ts'
import { allBuilds } from './turn.ts'

const dayMs = 86_400_000
const dayNumber = (at: number) => Math.floor(at / dayMs)

/** Tables in memory: what a store keeps between two folds. */
function tables() {
  const rows = {
    things: new Map<string, Known['things'][number]>(),
    options: new Map<string, Known['options'][number]>(),
    people: new Map<string, Known['people'][number]>(),
    days: new Map<string, PlayCounts['days'][number]>(),
    choices: new Map<string, PlayCounts['choices'][number]>(),
    counts: new Map<string, PlayCounts['people'][number]>(),
  }
  function count({ days, choices, people }: PlayCounts): void {
    for (const { statements, ...key } of days) add(rows.days, key, { ...key, statements: 0 }, { statements })
    for (const { chosen, right, wrong, unlocked, ...key } of choices) {
      const none = { chosen: 0, right: 0, wrong: 0, unlocked: 0 }
      add(rows.choices, key, { ...key, ...none }, { chosen, right, wrong, unlocked })
    }
    for (const { people: some, ...key } of people) add(rows.counts, key, { ...key, people: 0 }, { people: some })
  }
  return {
    ...rows,
    fold(turns: readonly PlayTurn[]): void {
      const { things, options, persons, ...counts } = foldPlays(
        {
          things: [...rows.things.values()],
          nextThing: rows.things.size + 1,
          options: [...rows.options.values()],
          people: [...rows.people.values()],
        },
        turns,
      )
      for (const thing of things) rows.things.set(thing.activity, thing)
      for (const option of options) {
        const key = `${option.thing} ${option.number}`
        rows.options.set(key, { ...option, uses: option.uses + (rows.options.get(key)?.uses ?? 0) })
      }
      for (const person of persons) rows.people.set(`${person.thing} ${person.kind} ${person.actor}`, person)
      count(counts)
    },
    forget(actor: string): void {
      const own = [...rows.people].filter(([, person]) => person.actor === actor)
      const counts = playsOff(own.map(([, person]) => person))
      for (const [key] of own) rows.people.delete(key)
      for (const { thing, option, wholeMonth, chosen, unlocked } of counts.choices) {
        if (wholeMonth) continue
        const known = rows.options.get(`${thing} ${option}`)
        if (!known) continue
        known.uses += chosen + unlocked
        if (known.uses === 0) rows.options.delete(`${thing} ${option}`)
      }
      count(counts)
    },
  }
}

function add<T extends object>(map: Map<string, T>, key: object, empty: T, by: Readonly<Record<string, number>>): void {
  const name = Object.values(key).join(' ')
  const row = { ...(map.get(name) ?? empty) } as Record<string, number>
  for (const [column, count] of Object.entries(by)) row[column] = row[column]! + count
  map.set(name, row as T)
}

const play = fc.record({
  kind: fc.constantFrom(...Object.values(kinds)),
  activity: fc.constantFrom('a', 'b'),
  actor: fc.constantFrom('ann', 'ben', 'eve'),
  build: fc.constantFrom(0, 1),
  progress: fc.constantFrom(0, 0.05, 0.5, 0.99, 1),
  right: fc.constantFrom(true, false, undefined),
  response: fc.constantFrom('x', 'y', undefined),
  later: fc.constantFrom(0, 1, dayMs / 2, dayMs, 3 * dayMs, 20 * dayMs),
  // it arrived late
  ago: fc.constantFrom(0, 0, 1, dayMs / 2, dayMs, 30 * dayMs),
  // which of those before it is voided meanwhile; most are not there
  voids: fc.nat(60),
})

test('after every batch all counts equal a recount of the statements that are left', () => {
  fc.assert(
    fc.property(fc.array(play, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), (plays, batch) => {
      const store = tables()
      const left = new Map<number, PlayTurn>()
      let now = 20_000 * dayMs
      let turns: PlayTurn[] = []
      const end = () => {
        store.fold(turns)
        turns = []
        check(store, [...left.values()])
      }
      plays.forEach(({ kind, progress, right, response, later, ago, voids, ...one }, n) => {
        now += later
        const isChoice = kind === kinds.chosen || kind === kinds.unlocked
        const turn: PlayTurn = {
          ...one,
          kind,
          at: now - ago,
          day: dayNumber(now - ago),
          team: false,
          progress: kind === kinds.progressed ? progress : undefined,
          choice: isChoice
            ? { response, name: '', given: response !== undefined, right: kind === kinds.chosen ? right : undefined }
            : undefined,
        }
        turns.push(turn)
        left.set(n, turn)
        const voided = left.get(voids)
        if (voided) {
          // the learner is forgotten, and all else that they did comes again
          end()
          left.delete(voids)
          store.forget(voided.actor)
          store.fold([...left.values()].filter(({ actor }) => actor === voided.actor))
        }
        if (turns.length >= batch) end()
      })
      end()
    }),
    { numRuns: 100 },
  )
})

/** Compares what is kept with a count of these plays, for some ranges and builds. */
function check(store: ReturnType<typeof tables>, plays: readonly PlayTurn[]): void {
  const first = 20_000
  const last = Math.max(first, ...plays.map(({ day }) => day))
  for (const [from, to] of [
    [first, last],
    [first + 1, last - 1],
    [first + 2, first + 4],
    [last, last + 9],
    [first - 60, last + 60],
    [first - 40, first + 15],
  ] as const) {
    for (const build of [allBuilds, 0, 1]) {
      const own = plays.filter(
        ({ day, ...one }) => day >= from && day <= to && (build === allBuilds || one.build === build),
      )
      for (const thing of store.things.values()) {
        for (const kind of Object.values(kinds)) compare(store, plays, own, { thing, kind, build, from, to })
      }
    }
  }
}

function compare(
  store: ReturnType<typeof tables>,
  plays: readonly PlayTurn[],
  own: readonly PlayTurn[],
  where: { thing: Known['things'][number]; kind: Kind; build: number; from: number; to: number },
): void {
  const { thing, kind, build, from, to } = where
  const ofIt = (list: readonly PlayTurn[]) => list.filter((one) => one.activity === thing.activity && one.kind === kind)
  const these = ofIt(own)
  const periods = periodsOf(from, to)
  const isHere = (row: { thing: number; wholeMonth: boolean; day: number }) =>
    row.thing === thing.number &&
    periods.some(({ wholeMonth, from, to }) => row.wholeMonth === wholeMonth && row.day >= from && row.day <= to)
  const inBuild = (row: { build: number }) => build === allBuilds || row.build === build
  const days = [...store.days.values()].filter((row) => isHere(row) && inBuild(row) && row.kind === kind)
  expect(days.reduce((sum, { statements }) => sum + statements, 0)).toBe(these.length)

  const counts = [...store.counts.values()].filter(
    (row) => isHere(row) && row.kind === kind && row.build === build && row.next > to,
  )
  const people = [...new Set(these.map(({ actor }) => actor))]
  expect(counts.reduce((sum, row) => sum + row.people, 0)).toBe(people.length)

  if (kind === kinds.progressed) {
    const bin = (progress: number) => (progress === 1 ? 10 : Math.floor(progress * 10))
    const latest = Array<number>(progressBins).fill(0)
    const highest = Array<number>(progressBins).fill(0)
    for (const actor of people) {
      const mine = these.filter((one) => one.actor === actor).toSorted((a, b) => a.at - b.at)
      const until = mine.at(-1)!.day
      const before = ofIt(plays).filter(
        (one) => one.actor === actor && one.day <= until && (build === allBuilds || one.build === build),
      )
      const reached = { latest: mine.at(-1)!.progress!, highest: Math.max(...before.map(({ progress }) => progress!)) }
      latest[bin(reached.latest)]!++
      highest[bin(reached.highest)]!++
      const kept = store.people.get(`${thing.number} ${kind} ${actor}`)!
      expect(reachedIn(kept.days, build, from, to)).toEqual({ ...reached, day: until, count: mine.length })
    }
    const told = { latest: Array<number>(progressBins).fill(0), highest: Array<number>(progressBins).fill(0) }
    for (const row of counts) {
      told.latest[row.latest]! += row.people
      told.highest[row.highest]! += row.people
    }
    expect(told).toEqual({ latest, highest })
  }

  if (kind === kinds.chosen || kind === kinds.unlocked) {
    for (const response of ['x', 'y', undefined]) {
      const option = [...store.options.values()].find((one) => one.thing === thing.number && one.response === response)
      const number = response === undefined ? noResponse : option?.number
      const rows = [...store.choices.values()].filter((row) => isHere(row) && inBuild(row) && row.option === number)
      const sum = (name: 'chosen' | 'right' | 'wrong' | 'unlocked') => rows.reduce((all, row) => all + row[name], 0)
      const those = these.filter(({ choice }) => choice!.response === response)
      if (kind === kinds.unlocked) expect(sum('unlocked')).toBe(those.length)
      else
        expect([sum('chosen'), sum('right'), sum('wrong')]).toEqual([
          those.length,
          those.filter(({ choice }) => choice!.right === true).length,
          those.filter(({ choice }) => choice!.right === false).length,
        ])
    }
  }
}

const chosen = (response: string, at: number, over: Partial<PlayTurn> = {}): PlayTurn => ({
  kind: kinds.chosen,
  activity: 'a',
  actor: 'ann',
  build: 0,
  at,
  day: dayNumber(at),
  team: false,
  choice: { response, name: '', given: true },
  ...over,
})

test('the first options of a thing are counted one by one, all further ones together', () => {
  const store = tables()
  for (let n = 0; n < mostOptions + 10; n++) store.fold([chosen(`option ${n}`, n + 1)])
  store.fold([chosen('option 3', 100), chosen('option 55', 101, { actor: 'ben' })])
  store.forget('ben')
  expect(store.options.size).toBe(mostOptions)
  const sum = (option: number) =>
    [...store.choices.values()]
      .filter((row) => row.option === option && !row.wholeMonth)
      .reduce((all, row) => all + row.chosen, 0)
  expect([sum(4), sum(otherOption)]).toEqual([2, 10])
})

test('the first things of a game are counted, and no further ones', () => {
  const store = tables()
  const turns = Array.from({ length: mostThings + 3 }, (_, n) => chosen('x', n + 1, { activity: `a${n}` }))
  store.fold(turns)
  store.fold([chosen('x', 9_999, { activity: 'a0' }), chosen('x', 9_999, { activity: 'new' })])
  expect(store.things.size).toBe(mostThings)
  const days = [...store.days.values()].filter(({ wholeMonth }) => !wholeMonth)
  expect(days.reduce((sum, { statements }) => sum + statements, 0)).toBe(mostThings + 1)
})

test('two builds on one day: the latest of both is that of the last one, the highest that of the higher one', () => {
  const store = tables()
  const made = (build: number, progress: number, stored: number): PlayTurn => {
    const { choice: _, ...turn } = chosen('', stored, { kind: kinds.progressed, build, progress })
    return turn
  }
  store.fold([made(1, 0.2, 1), made(2, 0.9, 2)])
  const { days } = [...store.people.values()][0]!
  expect(reachedIn(days, allBuilds, 0, 0)).toEqual({ day: 0, latest: 0.9, highest: 0.9, count: 2 })
  store.fold([made(1, 0.3, 3)])
  const after = [...store.people.values()][0]!.days
  expect(reachedIn(after, allBuilds, 0, 0)).toEqual({ day: 0, latest: 0.3, highest: 0.9, count: 3 })
  expect(reachedIn(after, 2, 0, 0)).toEqual({ day: 0, latest: 0.9, highest: 0.9, count: 1 })
})

test('the last known name of an option is kept', () => {
  const store = tables()
  const named = (name: string, stored: number) => chosen('x', stored, { choice: { response: 'x', name, given: true } })
  store.fold([named('Old', 1), named('', 2)])
  store.fold([named('New', 3), named('', 4)])
  expect([...store.options.values()]).toEqual([{ thing: 1, number: 1, response: 'x', name: 'New', uses: 4 }])
})

test('a person is gone from all rows when their statements are', () => {
  const store = tables()
  store.fold([chosen('x', 1), chosen('x', 2 * dayMs)])
  const days = [...store.counts.values()].filter(({ wholeMonth }) => !wholeMonth)
  expect(days.map(({ day, next, people }) => [day, next, people])).toEqual([
    [0, 2, 1],
    [2, never, 1],
    [0, 2, 1],
    [2, never, 1],
  ])
  store.fold([chosen('x', 3, { actor: 'ben' }), chosen('y', 3)])
  store.forget('ann')
  expect([...store.people.values()].every(({ actor }) => actor === 'ben')).toBe(true)
  const left = [...store.counts.values()].filter(({ people, wholeMonth }) => people !== 0 && !wholeMonth)
  expect(left.map(({ day, next, people }) => [day, next, people])).toEqual([
    [0, never, 1],
    [0, never, 1],
  ])
  // nobody is left who chose it, so its text goes: it may be a name
  expect([...store.options.values()].map(({ response }) => response)).toEqual(['x'])
})
