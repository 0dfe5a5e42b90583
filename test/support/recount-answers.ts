/** What core answers about a game, counted from its statements in the plainest way; core/analytics/rules is not used. */

export interface Sent {
  readonly stored: number
  readonly actor: string
  readonly build: number
  readonly json: {
    readonly actor: { readonly objectType?: string }
    readonly verb: { readonly id: string }
    readonly object: { readonly id: string; readonly definition?: { readonly type?: string } }
    readonly result?: {
      readonly success?: boolean
      readonly completion?: boolean
      readonly duration?: string
      readonly score?: { readonly scaled?: number }
    }
    readonly context?: {
      readonly registration?: string
      readonly language?: string
      readonly platform?: string
      readonly extensions?: Readonly<Record<string, unknown>>
      readonly contextActivities?: { readonly parent?: readonly { readonly id: string }[] }
    }
    readonly timestamp: string
  }
}

export interface Range {
  readonly from: number
  readonly to: number
  readonly today: number
  readonly build?: number
}

/** How times become days, and by what charts are cut. */
export interface Clock {
  readonly zone: string
  /** The IRI is of an extension of the context. */
  readonly cut?: 'language' | 'platform' | `https://${string}`
  /** Milliseconds. */
  readonly start?: number
}

interface Attempt {
  readonly actor: string
  readonly level: string
  readonly registration: string
  readonly day: number
  readonly build: number
  readonly statements: Told[]
}

/** A statement with its time in milliseconds and its day. */
type Told = Sent & { readonly at: number; readonly day: number }

const toldIn =
  ({ zone, start = Date.parse('2000-01-01') }: Clock) =>
  (sent: Sent): Told => {
    const arrived = Math.floor(sent.stored / 1_000)
    const said = Date.parse(sent.json.timestamp)
    const at = said > arrived || said < start ? arrived : said
    const date = new Date(at).toLocaleDateString('sv-SE', { timeZone: zone })
    const actor = `${sent.actor}${sent.json.actor.objectType === 'Group' ? ' team' : ''}`
    return { ...sent, actor, at, day: Date.parse(date) / 86_400_000 }
  }
/** The same statements with the number of their value of the cut in place of their build. @param numbers by value */
export const cutBy = (
  sent: readonly Sent[],
  cut: NonNullable<Clock['cut']>,
  numbers: ReadonlyMap<string, number>,
): Sent[] =>
  sent.map((one) => {
    const { context } = one.json
    const value = cut === 'language' || cut === 'platform' ? context?.[cut] : context?.extensions?.[cut]
    return { ...one, build: numbers.get(value === undefined ? 'Not told' : String(value)) ?? -1 }
  })

const byTime = (one: Told, other: Told) => one.at - other.at || one.stored - other.stored
const isTeam = ({ actor }: { readonly actor: string }) => actor.endsWith('team')

const wordOf = ({ json }: Sent) => json.verb.id.split('/').at(-1)!
const isStart = (sent: Sent) => ['launched', 'initialized', 'attempted'].includes(wordOf(sent))
const isLeft = (sent: Sent) => ['terminated', 'abandoned'].includes(wordOf(sent))
const isJudged = (sent: Sent) => ['passed', 'failed'].includes(wordOf(sent))
const isAttempt = (sent: Sent) =>
  !sent.json.object.definition?.type?.includes('interaction') &&
  (isStart(sent) ||
    isLeft(sent) ||
    isJudged(sent) ||
    wordOf(sent) === 'completed' ||
    sent.json.result?.completion === true)
const kindOf = (sent: Sent) =>
  isStart(sent) ? wordOf(sent) : isJudged(sent) ? 'judged' : isLeft(sent) ? 'left' : 'completed'
/** What it says of completion; undefined: nothing. */
const completionOf = (sent: Sent) =>
  sent.json.result?.completion ?? (['passed', 'completed'].includes(wordOf(sent)) ? true : undefined)
const successOf = (sent: Sent) =>
  sent.json.result?.success ?? (wordOf(sent) === 'passed' ? true : wordOf(sent) === 'failed' ? false : undefined)

/** Steps in their order: of the same time, starts come first. */
const stepsOf = (sent: readonly Told[]) =>
  sent
    .filter(isAttempt)
    .toSorted((a, b) => a.at - b.at || Number(isStart(b)) - Number(isStart(a)) || a.stored - b.stored)

function attemptsOf(sent: readonly Told[]): Attempt[] {
  const attempts: Attempt[] = []
  for (const one of stepsOf(sent)) {
    const { actor, json } = one
    const registration = json.context?.registration ?? ''
    const last = attempts.findLast(
      (it) => it.actor === actor && it.level === json.object.id && it.registration === registration,
    )
    const joins =
      last &&
      !last.statements.some((before) => kindOf(before) === kindOf(one)) &&
      !(isStart(one) && last.statements.some((before) => !isStart(before)))
    if (joins) last.statements.push(one)
    else
      attempts.push({ actor, level: json.object.id, registration, day: one.day, build: one.build, statements: [one] })
  }
  return attempts
}

function secondsOf({ statements }: Attempt): number | undefined {
  const ends = statements.filter((one) => !isStart(one))
  const stated = ends.find(({ json }) => json.result?.duration !== undefined)
  if (stated) return inADay(1_000 * Number(/^PT([\d.]+)S$/.exec(stated.json.result!.duration!)![1]))
  const start = statements.find(isStart)
  if (!start || !ends[0]) return undefined
  return inADay(ends[0].at - start.at)
}

const inADay = (millis: number) => (millis >= 0 && millis <= 86_400_000 ? millis / 1_000 : undefined)
const known = <T>(values: readonly (T | undefined)[]) => values.filter((value) => value !== undefined)

/** Count and quartiles: the smallest value at or below which at least that share is. */
export function spreadOf(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted.find((_, n) => (n + 1) / sorted.length >= share) ?? 0
  return {
    count: sorted.length,
    mean: sorted.reduce((sum, value) => sum + value, 0) / (sorted.length || 1),
    quartiles: [at(0.25), at(0.5), at(0.75)],
  }
}

const different = (values: readonly string[]) => new Set(values).size
const groups = <T>(list: readonly T[], key: (one: T) => string) => [...Map.groupBy(list, key)]

export function recount(all: readonly Sent[], { from, to, today, build }: Range, clock: Clock) {
  const sent = all.map(toldIn(clock)).toSorted(byTime)
  const parents = new Set(
    sent.filter(isAttempt).flatMap(({ json }) => json.context?.contextActivities?.parent?.map(({ id }) => id) ?? []),
  )
  const isWholeGame = ({ json: { object } }: Sent) => object.id.includes('/games/') || parents.has(object.id)
  const isIn = (one: { day: number; build: number }) =>
    one.day >= from && one.day <= to && (build === undefined || one.build === build)
  const actors = groups(sent, ({ actor }) => actor).map(([actor, all]) => {
    const [first, last] = [all[0]!, all.at(-1)!]
    return {
      actor,
      first: { day: first.day, build: first.build },
      last: { day: last.day, build: last.build },
      days: new Set(all.map(({ day }) => day)),
      attempts: attemptsOf(all),
      lastLevel: stepsOf(all).findLast((one) => !isWholeGame(one)),
    }
  })
  const people = actors.filter((one) => !isTeam(one))
  const cohort = people.filter(({ first }) => isIn(first))
  const made = attemptsOf(sent)
  const attempts = made.filter(isIn)
  const firsts = new Set(
    groups(
      made.filter((one) => !isTeam(one)),
      ({ actor, level }) => `${actor} ${level}`,
    ).map(([, [first]]) => first!),
  )
  const gone = people.filter(({ last }) => isIn(last) && last.day <= today - 7)
  const levelsOf = (of: readonly Attempt[]) => groups(of, ({ level }) => level)
  const sessions = groups(
    sent.filter(({ json }) => json.context?.registration !== undefined),
    ({ actor, json }) => `${actor} ${json.context!.registration}`,
  ).map(([, all]) => {
    const { day, build, at } = all[0]!
    return { day, build, seconds: inADay(all.at(-1)!.at - at) }
  })
  const isDone = ({ statements }: Attempt) =>
    known(statements.filter((one) => !isStart(one)).map(completionOf)).at(-1) ?? false
  const success = ({ statements }: Attempt) => known(statements.filter((one) => !isStart(one)).map(successOf)).at(-1)
  const score = ({ statements }: Attempt) =>
    known(statements.filter((one) => !isStart(one)).map(({ json }) => json.result?.score?.scaled)).at(-1)
  const present = sent.filter(isIn)
  const returned = (after: number) =>
    cohort.filter(({ first, days }) => first.day + after < today && days.has(first.day + after)).length
  return {
    people: different(present.filter((one) => !isTeam(one)).map(({ actor }) => actor)),
    teams: different(present.filter(isTeam).map(({ actor }) => actor)),
    newPeople: cohort.length,
    funnel: Object.fromEntries(
      levelsOf(cohort.flatMap((one) => one.attempts)).map(([level, of]) => [
        level,
        [different(of.map(({ actor }) => actor)), different(of.filter(isDone).map(({ actor }) => actor))],
      ]),
    ),
    levels: Object.fromEntries(
      levelsOf(attempts).map(([level, of]) => [
        level,
        {
          attempts: of.length,
          completed: of.filter(isDone).length,
          passed: of.filter((one) => success(one) === true).length,
          failed: of.filter((one) => success(one) === false).length,
          abandoned: of.filter((one) => !isDone(one) && success(one) === undefined).length,
          firsts: [() => true, isDone, ...[true, false].map((said) => (one: Attempt) => success(one) === said)].map(
            (pick) => of.filter((one) => firsts.has(one) && pick(one)).length,
          ),
          seconds: spreadOf(known(of.map(secondsOf))),
          scores: spreadOf(known(of.map(score))),
        },
      ]),
    ),
    leaving: {
      people: gone.length,
      beforeAny: gone.filter(({ lastLevel }) => !lastLevel).length,
      levels: Object.fromEntries(
        groups(
          gone.filter(({ lastLevel }) => lastLevel),
          ({ lastLevel }) => lastLevel!.json.object.id,
        ).map(([level, of]) => {
          const after = of.filter(({ attempts, lastLevel }) =>
            isDone(attempts.find(({ statements }) => statements.includes(lastLevel!))!),
          ).length
          return [level, [of.length - after, after]]
        }),
      ),
    },
    sessions: {
      sessions: sessions.filter(isIn).length,
      seconds: spreadOf(known(sessions.filter(isIn).map(({ seconds }) => seconds))),
    },
    cohorts: Object.fromEntries(
      groups(cohort, ({ first }) => String(first.day)).map(([first, of]) => [
        first,
        [0, 1, 7, 30].map((after) =>
          after === 0 || Number(first) + after < today
            ? of.filter(({ days }) => days.has(Number(first) + after)).length
            : undefined,
        ),
      ]),
    ),
    days: Array.from({ length: 31 }, (_, after) => [
      cohort.filter(({ first }) => first.day + after < today).length,
      returned(after),
    ]),
  }
}
