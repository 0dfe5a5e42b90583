import { compare, type Arm } from '../arms.ts'
import type { WriteJob } from '../load/job.ts'
import { lineOf, type Suite } from '../suite.ts'

const batch = 250

/** POST of 250 statements, beside the fastest ways of `pg` alone to commit the same rows 250 at a time. */
export const postBatch: Suite = {
  name: 'post-batch',
  async run(bench) {
    const { system, load, databaseUrl: url, credentials, size } = bench
    const shape = bench.shape.name
    const write = (way: WriteJob['way'], clients: number): Arm => ({
      name: `pg ${way}, ${clients} connections`,
      run: (ms) => load.run({ kind: 'write', url, way, batch, clients, ms, shape, seed: bench.seed(), credentials }),
    })
    const ours = {
      name: 'POST',
      run: (ms: number) =>
        load.run({ kind: 'post', port: system.port, shape, batch, clients: 8, ms, seed: bench.seed() }),
    }
    const floors = [write('copy', 2), write('copy', 8), write('function', 2)]
    const comparison = await compare(`POST of ${batch}`, [ours, ...floors], bench)
    const floor = comparison.fastest(floors.map(({ name }) => name))
    return [
      lineOf('post-batch', 'POST of 250, 8 clients', size, 'statements/s', comparison, ours.name, floor, {
        atLeast: 0.8,
      }),
    ]
  },
}
