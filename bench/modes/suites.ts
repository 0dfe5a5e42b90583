import type { Postgres } from '../../start/postgres.ts'
import { startLoad } from '../load/load.ts'
import { progress } from '../progress.ts'
import type { Run } from '../run.ts'
import type { Shape } from '../shapes/shape.ts'
import { shapeOf } from '../shapes/shapes.ts'
import type { Line } from '../suite.ts'
import { suites } from '../suites.ts'
import { databaseName, prepareDatabase, startSystem } from '../system.ts'

/** Runs the chosen sub-benches on filled stores, one for every shape and size. */
export async function filled(run: Run): Promise<void> {
  const postgres = await run.start()
  for (const shape of run.options.shapes.map(shapeOf)) {
    for (const size of run.options.sizes) await runAt(run, postgres, shape, size)
  }
  run.lines.push(...growthOf(run))
}

async function runAt(
  { options, folder, lines, seed }: Run,
  postgres: Postgres,
  shape: Shape,
  size: number,
): Promise<void> {
  const last = size === options.sizes.at(-1)
  const told = (done: number) => progress(`filling with ${shape.name}: ${done} of ${size}`)
  const { databaseUrl, credentials } = await prepareDatabase(postgres, databaseName(shape, size), shape, size, told)
  progress(`the store holds ${size} statements of ${shape.name}`, true)
  const { rounds, ms, minutes, profile } = options
  const system = await startSystem({ databaseUrl, folder, profile })
  const load = startLoad()
  const watched = { gateway: system.gateway.pid, core: system.core.pid, postgres: postgres.pid }
  const bench = {
    size,
    shape,
    databaseUrl,
    credentials,
    credential: credentials[0]!,
    postgres,
    system,
    load,
    watched,
    folder,
    rounds,
    ms,
    minutes,
    profile,
    seed,
  }
  try {
    for (const suite of suites.filter(({ name, once }) => options.suites.includes(name) && (last || !once))) {
      lines.push(...(await suite.run(bench)).map((line) => ({ ...line, shape: shape.name })))
    }
  } finally {
    load.close()
    await system.stop()
  }
}

/** The p99 of pages in the largest store, divided by that in the smallest. */
function growthOf({ options, lines }: Run): Line[] {
  const [smallest, largest] = [Math.min(...options.sizes), Math.max(...options.sizes)]
  if (smallest === largest) return []
  return lines
    .filter(({ suite, size }) => suite === 'get-page' && size === largest)
    .map(({ shape, measure, p99 }) => {
      const before = lines.find((line) => line.shape === shape && line.measure === measure && line.size === smallest)!
      return {
        suite: 'get-page',
        shape,
        measure: `${measure}: p99 by that at ${smallest}`,
        size: largest,
        unit: 'times',
        value: p99! / before.p99!,
        goal: { atMost: 1.5 },
      }
    })
}
