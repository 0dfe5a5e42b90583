import { z } from 'zod'
import { assistants as limits } from '../../shared/limits.ts'
import type { Chart } from '../charts/chart.ts'
import { askedOf } from '../pages/analytics/asked.ts'
import { chosenDays, daysOf } from '../pages/parts/data-filters.ts'
import type { DataView } from '../pages/parts/data-view.ts'
import type { ChartPage } from '../pages/parts/game-side.ts'
import { chartLoaders } from '../routes/analytics/load-charts.ts'
import { PageFailure } from '../web/failure.ts'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import type { CoreClient } from '../web/core-client.ts'

const day = z.iso.date().optional()
/** Days of a question. */
export const days = {
  from: day.describe('First day, such as 2026-11-01. Without both days: the last 30 days'),
  to: day.describe('Last day. Without it: today'),
}
export type Range = z.infer<z.ZodObject<typeof days>>

/** Which charts of which game. */
export interface Question extends Range {
  readonly gameId: string
  readonly build?: number | undefined
  readonly compare?: number | undefined
}

/** What core's counts take. @param zone of the studio @throws PageFailure */
export function viewOf({ from = '', to = '', build, compare }: Omit<Question, 'gameId'>, zone: string): DataView {
  const chosen = chosenDays(from, to, 30)
  if (chosen && 'message' in chosen) throw new PageFailure(Reason.INVALID, chosen.message)
  return { sandbox: false, days: 30, zone, chosen, build, compare, makes: false }
}

/** The zone of the studio, which core knows with the counts of a game. */
export async function zoneOf(core: CoreClient, gameId: string): Promise<string> {
  return (await core.counting.getCounting({ gameId })).zone
}

/** The charts of a page of the portal: the same numbers, rules and words. */
export async function readCharts(core: CoreClient, page: ChartPage, { gameId, ...of }: Question): Promise<object> {
  const view = viewOf(of, await zoneOf(core, gameId))
  const [{ game }, load] = await Promise.all([
    core.games.getGame({ gameId }),
    chartLoaders[page]({ core, gameId, of: '' }, view),
  ])
  const { charts, complete, builds = [] } = load(askedOf(game!, view))
  return {
    days: daysOf(view),
    zone: view.zone,
    complete,
    builds: builds.slice(0, limits.rows).map(({ number, name, people }) => ({ build: number, name, players: people })),
    // the table of this one has a row for each player
    charts: charts.filter(({ id }) => id !== 'players').map(chartOf),
  }
}

const chartOf = ({ title, answer, source, table: { columns, rows } }: Chart) => ({
  question: title,
  answer,
  rule: source,
  columns: columns.map(({ name, kind }) => (kind === 'percent' ? `${name} (of 1)` : name)),
  rows: rows.slice(0, limits.rows).map(({ cells }) => cells.map((cell) => cell ?? null)),
  ...(rows.length > limits.rows && { more: rows.length - limits.rows }),
})
