import { agentIdentifier } from '../../core/records/xapi/identify.ts'
import { timestampOf } from '../../core/records/xapi/timestamp.ts'
import type { Postgres } from '../../start/postgres.ts'
import { authorizationOf } from '../keys.ts'
import type { Browsed, Followed, Grown, Request } from '../load/job.ts'
import { startLoad } from '../load/load.ts'
import { progress } from '../progress.ts'
import type { Run } from '../run.ts'
import type { Shape } from '../shapes/shape.ts'
import { shapeOf } from '../shapes/shapes.ts'
import type { Line } from '../suite.ts'
import { missedOf } from '../suites/follow.ts'
import { databaseName, dropDatabase, prepareDatabase, startSystem } from '../system.ts'

const clients = 8
const batch = 250
const suite = 'grow'

/** Fills empty stores over HTTP while one follower and one reader poll. Only autovacuum analyses the tables. */
export async function growing(run: Run): Promise<void> {
  const postgres = await run.start()
  for (const shape of run.options.shapes.map(shapeOf)) {
    for (const size of run.options.sizes) run.lines.push(...(await grow(run, postgres, shape, size)))
  }
}

async function grow(
  { folder, options, seed: nextSeed }: Run,
  postgres: Postgres,
  shape: Shape,
  size: number,
): Promise<Line[]> {
  const name = `${databaseName(shape, size)}_grown`
  await dropDatabase(postgres, name)
  const { databaseUrl } = await prepareDatabase(postgres, name, shape, 0, () => {})
  const system = await startSystem({ databaseUrl, folder, profile: options.profile })
  const [writers, follower, reader] = [startLoad(), startLoad(), startLoad()]
  const { port } = system
  const seed = nextSeed()
  progress(`growing to ${size} statements of ${shape.name}`)
  try {
    const following = follower.follow({
      kind: 'follow',
      port,
      authorization: authorizationOf(0),
      since: timestampOf(0),
    })
    const browsing = reader.browse({ kind: 'browse', port, requests: pagesOf(shape, seed) })
    // a wrong answer to one of them ends the run at once
    const failed = Promise.all([following.followed, browsing.browsed])
    const grown = await Promise.race([
      writers.grow({ kind: 'grow', port, shape: shape.name, seed, clients, batch, total: size }),
      failed.then(() => never()),
    ])
    following.stop()
    browsing.stop()
    const [seen, pages] = await failed
    const missed = await missedOf(databaseUrl, grown.ids, seen)
    const lines = linesOf(size, grown, seen, missed, pages).map((line) => ({ ...line, shape: shape.name }))
    const seconds = grown.tenths.reduce((sum, one) => sum + one, 0)
    progress(`${shape.name} grew to ${size}: ${Math.round(size / seconds)} statements/s`, true)
    return lines
  } finally {
    for (const load of [writers, follower, reader]) load.close()
    await system.stop()
  }
}

function never(): never {
  throw new Error('the follower or the reader ended by itself')
}

/** Pages of 50 by verb and by agent, of the first learners of this traffic. */
function pagesOf(shape: Shape, seed: number): Record<string, Request[]> {
  const source = shape.traffic(seed)
  const headers = { Authorization: authorizationOf(0) }
  const page = (filter: Record<string, string>): Request => ({
    method: 'GET',
    path: `/xapi/statements?${new URLSearchParams({ ...filter, limit: '50' })}`,
    headers,
  })
  const some = Array.from({ length: 500 }, () => JSON.parse(source.next().json))
  return {
    verb: some.map(({ verb }) => page({ verb: verb.id })),
    agent: some.map(({ actor }) => page({ agent: agentIdentifier(actor)! })),
  }
}

function linesOf(size: number, { tenths }: Grown, seen: Followed, missed: number, pages: Browsed): Line[] {
  const rates = tenths.map((seconds) => size / 10 / seconds)
  return [
    ...rates.map((value, tenth) => ({
      suite,
      measure: `growing: tenth ${tenth + 1}`,
      size,
      unit: 'statements/s',
      value,
    })),
    {
      suite,
      measure: 'growing: rate of the last tenth by that of the second',
      size,
      unit: 'times',
      value: rates[9]! / rates[1]!,
      goal: { atLeast: 0.85 },
    },
    {
      suite,
      measure: 'growing: follower: p99 from stored to seen',
      size,
      unit: 'ms',
      value: seen.lagP99,
      goal: { atMost: 250 },
    },
    { suite, measure: 'growing: follower: missed', size, unit: 'statements', value: missed, goal: { atMost: 0 } },
    ...Object.entries(pages).map(([kind, { count, p50, p99 }]) => ({
      suite,
      measure: `growing: GET of 50 by ${kind}, 1 client`,
      size,
      unit: 'pages',
      value: count,
      p50,
      p99,
    })),
  ]
}
