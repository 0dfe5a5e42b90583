import { compare } from '../arms.ts'
import { lineOf, type Line, type Suite } from '../suite.ts'

/** POST of one statement, beside one INSERT and commit for each through `pg` with as many connections. */
export const postOne: Suite = {
  name: 'post-one',
  async run(bench) {
    const { system, load, databaseUrl: url, credentials, size } = bench
    const shape = bench.shape.name
    const lines: Line[] = []
    for (const clients of [1, 16, 64]) {
      const comparison = await compare(
        `POST of 1, ${clients} clients`,
        [
          {
            name: 'POST',
            run: (ms) =>
              load.run({ kind: 'post', port: system.port, shape, batch: 1, clients, ms, seed: bench.seed() }),
          },
          {
            name: 'pg INSERT',
            run: (ms) =>
              load.run({
                kind: 'write',
                url,
                way: 'insert',
                batch: 1,
                clients,
                ms,
                shape,
                seed: bench.seed(),
                credentials,
              }),
          },
        ],
        bench,
      )
      const goal = clients === 1 ? undefined : { atLeast: 1 }
      lines.push(
        lineOf('post-one', `POST of 1, ${clients} clients`, size, 'requests/s', comparison, 'POST', 'pg INSERT', goal),
      )
      if (clients === 1) {
        const value = comparison.of('POST').p50 - comparison.of('pg INSERT').p50
        lines.push({
          suite: 'post-one',
          measure: 'POST of 1, 1 client: p50 above the floor',
          size,
          unit: 'ms',
          value,
          goal: { atMost: 2 },
        })
      }
    }
    return lines
  },
}
