import { alertRules as rules, type AlertKind } from '../../../shared/alert-kinds.ts'
import { difference, type Rate } from '../../../shared/difference.ts'
import { excerpt } from '../../process/rules/text.ts'

/** Attempts at a level in some days. */
export interface LevelAttempts {
  readonly activity: string
  readonly iri: string
  readonly name: string
  readonly attempts: number
  readonly completed: number
  readonly passed: number
  readonly failed: number
}

/** What is known of a game, when all of its statements are counted. Days count from 1970. */
export interface Watched {
  /** Milliseconds since 1970: now, and when the last statement arrived; 0: none has. */
  readonly now: number
  readonly last: number
  /** Today in UTC, and the day of the last statement in the zone of the studio. */
  readonly today: number
  readonly lastDay: number
  readonly statements: ReadonlyMap<number, number>
  readonly refusals: ReadonlyMap<number, number>
  readonly levels: readonly LevelAttempts[]
  readonly levelsBefore: readonly LevelAttempts[]
}

/** A rule that holds. */
export interface Alert {
  readonly kind: AlertKind
  /** Names what it is about, among the alerts of the game. */
  readonly key: string
  readonly text: string
}

const hourMs = 60 * 60 * 1000
const percent = (share: number): string => `${Math.round(share * 100)} %`
const sumOf = (counts: ReadonlyMap<number, number>, from: number, to: number): number =>
  Array.from({ length: to - from + 1 }, (_, n) => counts.get(from + n) ?? 0).reduce((sum, count) => sum + count, 0)

/** The rules that hold now. Their numbers are in shared/alert-kinds.ts. */
export const alertsOf = (watched: Watched): Alert[] => [...changed(watched), ...stopped(watched), ...refused(watched)]

function* changed({ levels, levelsBefore }: Watched): Generator<Alert> {
  const { attempts: least, points, days, before: daysBefore } = rules.rate
  const known = new Map(levelsBefore.map((level) => [level.activity, level]))
  for (const level of levels) {
    const before = known.get(level.activity)
    if (!before || level.attempts < least || before.attempts < least) continue
    const isJudged = [level, before].some(({ passed, failed }) => passed + failed > 0)
    const rateOf = (one: LevelAttempts): Rate => ({ part: isJudged ? one.passed : one.completed, whole: one.attempts })
    const { change, isCertain } = difference(rateOf(before), rateOf(level))
    if (Math.abs(change) * 100 < points || !isCertain) continue
    const share = ({ part, whole }: Rate) => `${percent(part / whole)} of ${whole} attempts`
    yield {
      kind: 'rate',
      key: `rate ${level.activity}`,
      text:
        `“${excerpt(level.name || level.iri, 80)}”: ${share(rateOf(level))} ${isJudged ? 'passed' : 'completed it'} in ` +
        `the last ${days} days, ${share(rateOf(before))} in the ${daysBefore} days before.`,
    }
  }
}

function* stopped({ now, last, lastDay, statements }: Watched): Generator<Alert> {
  const { hours, played, of } = rules.stopped
  if (last === 0 || now - last < hours * hourMs) return
  const days = Array.from({ length: of }, (_, n) => statements.get(lastDay - n) ?? 0).filter((count) => count > 0)
  if (days.length < played) return
  yield {
    kind: 'stopped',
    key: 'stopped',
    text:
      `No statement has arrived for ${Math.floor((now - last) / hourMs)} hours. There were statements on ` +
      `${days.length} of the ${of} days up to the last one.`,
  }
}

function* refused({ today, refusals }: Watched): Generator<Alert> {
  const { least, times, days, before } = rules.refused
  const now = sumOf(refusals, today - days + 1, today)
  const usual = sumOf(refusals, today - days - before + 1, today - days) / before
  if (now < least || now / days <= usual * times) return
  yield {
    kind: 'refused',
    key: 'refused',
    text: `${now} requests were refused today and yesterday; on the ${before} days before, ${usual.toFixed(1)} a day.`,
  }
}

/** Seconds since 1970 at which alerts were raised, by their keys. */
export type Raised = Readonly<Record<string, number>>

/** An alert that ended is kept for so long: a number that goes up and down around its limit raises it once. */
const keptSeconds = 7 * 24 * 60 * 60

/** Alerts that were not raised before, and all that are raised from now on. @param now milliseconds */
export function raise(
  found: readonly Alert[],
  raised: Raised,
  off: readonly string[],
  now: number,
): { fresh: Alert[]; raised: Raised } {
  const seconds = Math.floor(now / 1000)
  const wanted = found.filter(({ kind }) => !off.includes(kind))
  const fresh = wanted.filter(({ key }) => !Object.hasOwn(raised, key))
  const still = new Set(wanted.map(({ key }) => key))
  const kept = Object.entries(raised).filter(([key, since]) => still.has(key) || seconds - since < keptSeconds)
  return { fresh, raised: Object.fromEntries([...kept, ...fresh.map(({ key }) => [key, seconds] as const)]) }
}
