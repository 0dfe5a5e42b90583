// One store on 1, 2, 4 … processors, as far as this machine has them: `npm run scale -- --processors`. There are as many
// cores and gateways as processors, bound to them by taskset (util-linux). Postgres and the clients use all.
import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { compare } from '../../bench/arms.ts'
import { startLoad } from '../../bench/load/load.ts'
import type { Round } from '../../bench/load/measure.ts'
import { shapes } from '../../bench/shapes/shapes.ts'
import { lineOf, type Line } from '../../bench/suite.ts'
import { prepareDatabase, startSystem, type System } from '../../bench/system.ts'
import { cpuTableOf, tableOf } from '../../bench/table.ts'
import { authorizationFor, targetsOf } from '../../bench/targets.ts'
import { startPostgres } from '../../start/postgres.ts'

const size = 10_000
const shape = shapes[0]!

export async function processors(folder: string, options: { rounds: number; ms: number }): Promise<void> {
  const counts = [1, 2, 4, 8, 16, 32, 64].filter((count) => count <= availableParallelism())
  const most = counts.at(-1)!
  const settings = { max_connections: 50 + 12 * counts.reduce((sum, count) => sum + count) }
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), settings })
  const loads = Array.from({ length: most }, startLoad)
  const systems: { name: string; system: System }[] = []
  try {
    const { databaseUrl, credentials } = await prepareDatabase(postgres, 'scale', shape, size, () => {})
    for (const count of counts) {
      const own = join(folder, `${count}`)
      const system = await startSystem({ databaseUrl, folder: own, cores: count, gateways: count })
      for (const pid of [...system.pids.core, ...system.pids.gateway])
        execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `0-${count - 1}`, `${pid}`])
      systems.push({ name: `${count} of ${availableParallelism()} processors`, system })
    }
    const requests = (await targetsOf(databaseUrl, credentials, 200)).map((target) => ({
      method: 'GET',
      path: '/xapi/statements?limit=50',
      headers: authorizationFor(target),
    }))
    let seed = 0
    const post = (batch: number, clients: number) => (port: number, ms: number) =>
      loads.map((load) => load.run({ kind: 'post', port, shape: shape.name, batch, clients, ms, seed: ++seed }))
    const kinds = [
      { what: 'POST of 1', unit: 'statements/s', run: post(1, 32) },
      { what: 'POST of 250', unit: 'statements/s', run: post(250, 4) },
      {
        what: 'GET of 50',
        unit: 'pages/s',
        run: (port: number, ms: number) =>
          loads.map((load) => load.run({ kind: 'send', port, clients: 8, ms, requests, expect: { status: 200 } })),
      },
    ]
    const lines: Line[] = []
    for (const { what, unit, run } of kinds) {
      const arms = systems.map(({ name, system: { port, pids } }) => ({
        name,
        watched: { ...pids, postgres: postgres.pid },
        run: async (ms: number) => sumOf(await Promise.all(run(port, ms))),
      }))
      const comparison = await compare(what, arms, { ...options, watched: arms[0]!.watched })
      for (const { name } of arms)
        lines.push(lineOf('processors', `${what}, ${name}`, size, unit, comparison, name, arms[0]!.name))
    }
    process.stdout.write(`\n${tableOf(lines)}\n${cpuTableOf(lines)}`)
    if (most <= 2)
      process.stdout.write(
        `\nThis machine has ${availableParallelism()} processors, and Postgres and the clients need them, too: the table cannot show how a store grows with processors.\n`,
      )
  } finally {
    for (const load of loads) load.close()
    for (const { system } of systems) await system.stop()
    await postgres.stop()
  }
}

/** What several clients did at the same time. */
const sumOf = (rounds: readonly Round[]): Round => ({
  ...rounds[0]!,
  done: rounds.reduce((sum, { done }) => sum + done, 0),
  rate: rounds.reduce((sum, { rate }) => sum + rate, 0),
  ownCpu: rounds.reduce((sum, { ownCpu }) => sum + ownCpu, 0),
})
