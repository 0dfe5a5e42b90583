import { savedViews as limits } from '../../../shared/limits.ts'
import { ours } from '../../../shared/say.ts'
import { viewParameters } from '../../../shared/result-address.ts'
import { Problem } from '../../process/problem.ts'

/** A page of results below its game, with the query of its address. */
export interface ViewAddress {
  readonly page: string
  readonly query: string
}

const pages = /^(?:|learners|statements|data\/[a-z]{1,20}(?:\/[a-z-]{1,40})?)$/

/** The same, if it leads to a result page and has known parameters only. @throws Problem */
export function viewAddress({ page, query }: ViewAddress): ViewAddress {
  if (!pages.test(page)) throw new Problem('page', 'must be the path of a result page, such as data/progress')
  const parameters = new URLSearchParams(query)
  for (const name of parameters.keys())
    if (!viewParameters.some((known) => known === name) || parameters.getAll(name).length > 1)
      throw new Problem('query', ours(`must have these parameters only, each once: ${viewParameters.join(', ')}`))
  const kept = String(parameters)
  if (kept.length > limits.query) throw new Problem('query', ours(`must have ${limits.query} characters at most`))
  return { page, query: kept }
}
