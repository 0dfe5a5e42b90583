import { timestampOf } from '../../core/records/xapi/timestamp.ts'
import { compare } from '../arms.ts'
import { fastestOf, placesOf, type Candidate } from '../floors/fastest.ts'
import { filters, type Filter } from '../floors/filters.ts'
import { ways } from '../floors/page.ts'
import { openConnection, requestOf } from '../load/http.ts'
import type { Request, Settings } from '../load/job.ts'
import { lineOf, type Line, type Suite } from '../suite.ts'
import { withClient } from '../system.ts'
import { authorizationFor, targetsOf, type Target } from '../targets.ts'

const limit = 50
const clients = 8
const plans: Record<string, Settings> = {
  'custom plans': { jit: 'off', plan_cache_mode: 'force_custom_plan' },
  'generic plans': { jit: 'off', plan_cache_mode: 'force_generic_plan' },
}

/** GET of a page of 50 by each filter, beside the fastest SQL by hand that finds the same rows through `pg` alone. */
export const getPage: Suite = {
  name: 'get-page',
  async run({ system, load, databaseUrl: url, credentials, size, rounds, ms, watched }) {
    const targets = await targetsOf(url, credentials, 200)
    const lines: Line[] = []
    for (const filter of filters) {
      for (const ascending of filter.bothWays ? [false, true] : [false]) {
        const { fastest, found } = await fastestOf(url, candidatesOf(filter, targets, ascending))
        const requests = targets.map((target) => requestFor(filter, target, ascending))
        await expectPages(system.port, requests, found)
        const counts = await countsOf(url, fastest)
        const queries = fastest.queries.map((query, index) => ({ ...query, rows: counts[index]! }))
        const exact = requests.map((request, index) => ({ ...request, statements: Math.min(limit, counts[index]!) }))
        const name =
          `GET of ${limit} by ${filter.name}`.replace('by no filter', 'without filter') +
          (ascending ? ', ascending' : '')
        const comparison = await compare(
          name,
          [
            {
              name: 'GET',
              run: (ms) =>
                load.run({ kind: 'send', port: system.port, clients, ms, requests: exact, expect: { status: 200 } }),
            },
            {
              name: fastest.name,
              run: (ms) => load.run({ kind: 'query', url, clients, ms, queries, settings: fastest.settings }),
            },
          ],
          { rounds, ms, watched },
        )
        lines.push(lineOf('get-page', name, size, 'pages/s', comparison, 'GET', fastest.name, { atLeast: 0.5 }))
      }
    }
    return lines
  },
}

/** Each way with each kind of plan. One row more than the page: whether there is a next one has to be known. */
function candidatesOf(filter: Filter, targets: readonly Target[], ascending: boolean): Candidate[] {
  return Object.entries(ways).flatMap(([way, textOf]) => {
    const text = textOf({ ...filter, ascending, rows: limit + 1 })
    const queries = targets.map((target) => {
      const { id, version, game } = target.credential
      return { name: way, text, values: [id, version, game, ...filter.keys(target)] }
    })
    return Object.entries(plans).map(([plan, settings]) => ({ name: `${way}, ${plan}`, queries, settings }))
  })
}

function requestFor(filter: Filter, target: Target, ascending: boolean): Request {
  const parameters = new URLSearchParams({
    ...filter.parameters(target),
    limit: String(limit),
    ...(ascending ? { ascending: 'true' } : {}),
  })
  return { method: 'GET', path: `/xapi/statements?${parameters}`, headers: authorizationFor(target) }
}

/** @throws Error unless the first pages have the very statements that the floor found */
async function expectPages(port: number, requests: readonly Request[], found: readonly string[][]): Promise<void> {
  const connection = await openConnection(port)
  for (const [index, places] of found.entries()) {
    const { method, path, headers = {} } = requests[index]!
    const { status, body } = await connection.send(requestOf(method, path, headers))
    const stored =
      status === 200
        ? (JSON.parse(body.toString()) as { statements: { stored: string }[] }).statements.map((one) => one.stored)
        : []
    const wanted = places.slice(0, limit).map((place) => timestampOf(Number(place)))
    if (status !== 200 || stored.join() !== wanted.join()) {
      throw new Error(
        `The page ${path} is not that of the floor: ${status}, ${stored.length} statements instead of ${wanted.length}`,
      )
    }
  }
  connection.close()
}

/** Rows of each query. */
function countsOf(url: string, { queries }: Candidate): Promise<number[]> {
  return withClient(url, async (client) => {
    const counts: number[] = []
    for (const query of queries) counts.push((await placesOf(client, query)).length)
    return counts
  })
}
