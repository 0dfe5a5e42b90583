import { mostStuck } from '../../../shared/overview-rules.ts'
import type { Store } from '../../store.ts'
import { isWholeGame } from '../rules/attempts.ts'
import { mostHelped } from '../rules/facts/sums.ts'
import type { Week } from '../rules/week.ts'
import { foldTallies } from './fold-tallies.ts'
import { dayName } from './range-of-days.ts'

type Needs = Pick<Store, 'tallies' | 'insights' | 'answers' | 'learnersSeen'>

/** Counts on, and reads the seven days up to `last`, which counts from 1970. */
export async function weekOf(store: Needs, game: number, gameId: string, last: number): Promise<Week> {
  const { tallies, insights, answers } = store
  await foldTallies({ begin: tallies.add, fold: tallies.fold }, game)
  await foldTallies(await store.learnersSeen(game), game)
  const daysUpTo = (day: number) => insights.read(game, { from: dayName(day - 6), to: dayName(day) })
  const [now, before] = [await daysUpTo(last), await daysUpTo(last - 7)]
  const { funnel, help } = await answers.read(game, { from: last - 6, to: last, parts: new Set(['funnel', 'help']) })
  const levels = funnel.map((level) => ({
    ...level,
    name: level.name || level.iri,
    wholeGame: isWholeGame(level.iri, level.type, level.contains, gameId),
  }))
  return {
    players: now.learners,
    playersBefore: before.learners,
    stuck: mostStuck(levels),
    needHelp: new Set(help.slice(0, mostHelped).map(({ agent }) => agent)).size,
    moreHelp: help.length > mostHelped,
    refused: now.days.reduce((sum, { refusals }) => sum + refusals, 0),
  }
}
