import { buildIn, chosenDays, ranges, type Problem } from '../../pages/parts/data-filters.ts'
import { isCutValue } from '../../../shared/result-address.ts'
import type { DataView } from '../../pages/parts/data-view.ts'
import { isDeveloper, type Visit } from '../../web/visit.ts'

/** The view that the query of the address selects, and what is wrong with its days. */
export function selected(visit: Visit): { view: DataView; problem: Problem | undefined } {
  const { query } = visit
  const days = ranges.find((days) => String(days) === query('days')) ?? 30
  const chosen = chosenDays(query('since'), query('until'), days)
  const problem = chosen && 'message' in chosen ? chosen : undefined
  const build = buildIn(query('build'))
  const beside = query('compare') === 'before' ? 'before' : buildIn(query('compare'))
  // a build and a language have players in common
  const isOther =
    build !== beside && (build === undefined || beside === 'before' || isCutValue(build) === isCutValue(beside))
  return {
    view: {
      sandbox: query('from') === 'sandbox',
      days,
      chosen: chosen && 'from' in chosen ? chosen : undefined,
      build,
      compare: isOther ? beside : undefined,
      makes: isDeveloper(visit),
    },
    problem,
  }
}

export const viewOf = (visit: Visit): DataView => selected(visit).view
