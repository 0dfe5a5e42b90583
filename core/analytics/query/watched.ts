import { alertRules } from '../../../shared/alert-kinds.ts'
import type { Pace } from '../../process/jobs/pace.ts'
import type { Store } from '../../store.ts'
import type { Watched } from '../rules/alerts.ts'
import { isWholeGame } from '../rules/attempts.ts'
import { daysOf } from '../rules/when.ts'
import type { LeasedWatch } from '../store/game-watches.ts'
import { foldTallies } from './fold-tallies.ts'
import { dayName } from './range-of-days.ts'

const day = 24 * 60 * 60

/** Counts on, and reads what the rules of alerts need. Undefined: some statements are not counted yet. */
export async function watchedOf(
  store: Pick<Store, 'tallies' | 'insights' | 'answers'>,
  { id, gameId }: Pick<LeasedWatch, 'id' | 'gameId'>,
  inTurn: Pace,
  now: number = Date.now(),
): Promise<Watched | undefined> {
  const { tallies, insights, answers } = store
  // not `tallies.begin`: that would note that the charts were opened, and count on for seven days
  await foldTallies({ begin: tallies.add, fold: (game) => inTurn(() => tallies.fold(game)) }, id)
  const utc = Math.floor(now / 1000 / day)
  const { rate } = alertRules
  const counts = await insights.read(id, { from: dayName(utc - rate.days - rate.before), to: dayName(utc + 1) })
  if (counts.behind > 0 || counts.recounting) return undefined
  const today = daysOf(counts.zone)(now)
  const parts = new Set(['levels'] as const)
  const isPlayed = counts.days.some(({ statements }) => statements > 0)
  const levelsOf = async (from: number, to: number) =>
    isPlayed
      ? (await answers.read(id, { from, to, parts })).levels.filter(
          ({ iri, type, contains }) => !isWholeGame(iri, type, contains, gameId),
        )
      : []
  const last = Math.floor(counts.until / 1000)
  const byDay = (pick: (of: (typeof counts.days)[number]) => number) =>
    new Map(counts.days.map((of) => [Date.parse(of.day) / 1000 / day, pick(of)]))
  return {
    now,
    last,
    today: utc,
    lastDay: daysOf(counts.zone)(last),
    statements: byDay(({ statements }) => statements),
    refusals: byDay(({ refusals }) => refusals),
    levels: await levelsOf(today - rate.days + 1, today),
    levelsBefore: await levelsOf(today - rate.days - rate.before + 1, today - rate.days),
  }
}
