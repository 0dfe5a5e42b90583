import type { Postgres } from '../../start/postgres.ts'
import type { Arguments } from '../arguments.ts'
import { compare } from '../arms.ts'
import { startLoad } from '../load/load.ts'
import { forgetFiles } from '../memory-files.ts'
import { limitMemory, type MemoryGroup } from '../memory-group.ts'
import { progress } from '../progress.ts'
import type { Run } from '../run.ts'
import type { Shape } from '../shapes/shape.ts'
import { shapeOf } from '../shapes/shapes.ts'
import { lineOf, type Line } from '../suite.ts'
import { databaseName, dropDatabase, prepareDatabase, startSystem, withClient, type System } from '../system.ts'
import { blocksOfPages } from './blocks.ts'

const settings = { shared_buffers: '64MB' }
const small = 10_000
const pages = 200
const suite = 'memory-limit'

type Prepared = Awaited<ReturnType<typeof prepareDatabase>>

/** Compares a store many times as large as the memory of Postgres with a small store on the same server. */
export async function littleMemory(run: Run): Promise<void> {
  const { options } = run
  for (const shape of options.shapes.map(shapeOf)) {
    const filling = await run.start(settings)
    // an earlier run has added statements to this store
    await dropDatabase(filling, nameOf(shape, 'small'))
    const few = await prepared(filling, shape, small, 'small')
    const many = await large(run, filling, shape, few)
    await filling.stop()
    // otherwise Postgres would read what it has just written from the page cache
    if (!forgetFiles(run.dataDir))
      progress('ATTENTION: the files of the store may still be in the memory of the system', true)
    const postgres = await run.start(settings)
    const group = limited(postgres, options)
    try {
      const lines = await measured(run, postgres, shape, few, many)
      run.lines.push(
        ...lines.map((line) => ({
          ...line,
          shape: shape.name,
          measure: `${line.measure}, ${group ? `${options.memory} MiB` : 'memory NOT limited'}`,
        })),
      )
    } finally {
      await postgres.stop()
      await group?.remove()
    }
  }
}

type Name = 'small' | 'large'

const nameOf = (shape: Shape, name: Name) => `${databaseName(shape, 'memory')}_${name}`

const prepared = (postgres: Postgres, shape: Shape, size: number, name: Name) =>
  prepareDatabase(postgres, nameOf(shape, name), shape, size, (done) =>
    progress(`filling with ${shape.name}: ${done} of ${size}`),
  )

/** Fills a store to `--size`, or until it is `--times` as large as the memory. */
async function large(
  { options }: Run,
  postgres: Postgres,
  shape: Shape,
  few: Prepared,
): Promise<Prepared & { size: number }> {
  const [told] = options.sizes
  const wanted = options.memory * 2 ** 20 * options.times
  for (let size = told ?? Math.ceil((small * wanted) / (await bytesOf(few.databaseUrl))); ;) {
    const many = await prepared(postgres, shape, size, 'large')
    const bytes = await bytesOf(many.databaseUrl)
    const times = bytes / 2 ** 20 / options.memory
    progress(
      `the store of ${size} statements has ${Math.round(bytes / 2 ** 20)} MiB, ${times.toFixed(1)} times the memory`,
      true,
    )
    if (told !== undefined || bytes >= wanted) return { ...many, size }
    size = Math.ceil(size * Math.max(1.02, (1.01 * wanted) / bytes))
  }
}

function bytesOf(url: string): Promise<number> {
  return withClient(url, async (client) =>
    Number((await client.query('select pg_database_size(current_database()) as bytes')).rows[0].bytes),
  )
}

function limited(postgres: Postgres, { memory: mebibytes, group: parent }: Arguments): MemoryGroup | undefined {
  try {
    const group = limitMemory(postgres.pid, mebibytes, parent)
    progress(`Postgres has ${mebibytes} MiB of memory`, true)
    return group
  } catch (error) {
    progress(
      `ATTENTION: memory is NOT limited, the figures are those of the whole machine: ${(error as Error).message}`,
      true,
    )
    return undefined
  }
}

async function measured(
  { folder, options, seed }: Run,
  postgres: Postgres,
  shape: Shape,
  few: Prepared,
  many: Prepared & { size: number },
): Promise<Line[]> {
  const { profile, rounds, ms } = options
  const load = startLoad()
  const systems: System[] = []
  try {
    const arm = async (name: string, { databaseUrl }: Prepared) => {
      const system = await startSystem({ databaseUrl, folder: `${folder}/${name.replaceAll(' ', '-')}`, profile })
      systems.push(system)
      const { port, gateway, core } = system
      const watched = { gateway: gateway.pid, core: core.pid, postgres: postgres.pid }
      return {
        name,
        watched,
        run: (ms: number) =>
          load.run({ kind: 'post', port, shape: shape.name, batch: 250, clients: 8, ms, seed: seed() }),
      }
    }
    const ours = await arm('the large store', many)
    const blocks = await blocksOfPages(systems[0]!.port, many.databaseUrl, many.credentials, pages)
    const floor = await arm('the small store', few)
    const comparison = await compare('POST of 250', [ours, floor], { rounds, ms, watched: ours.watched })
    return [
      lineOf(suite, 'POST of 250, 8 clients', many.size, 'statements/s', comparison, ours.name, floor.name, {
        atLeast: 0.4,
      }),
      {
        suite,
        measure: 'blocks read for each statement of a cold page of 50 by agent',
        size: many.size,
        unit: 'blocks',
        value: blocks,
        goal: { atMost: 3 },
      },
    ]
  } finally {
    load.close()
    for (const system of systems) await system.stop()
  }
}
