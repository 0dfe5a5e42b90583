import { join } from 'node:path'
import { compare } from '../arms.ts'
import { lineOf, type Line, type Suite } from '../suite.ts'
import { startSystem, type System } from '../system.ts'

/** Gateways and cores of each arm. */
const counts = [
  [1, 1],
  [2, 1],
  [1, 2],
  [2, 2],
  [4, 4],
] as const

const kinds = [
  { what: 'POST of 1, 64 clients', batch: 1, clients: 64, unit: 'requests/s' },
  { what: 'POST of 250, 8 clients', batch: 250, clients: 8, unit: 'statements/s' },
] as const

/** Several gateways behind one port and several cores on this machine, beside one of each. */
export const processes: Suite = {
  name: 'processes',
  once: true,
  async run({ load, shape, databaseUrl, folder, size, rounds, ms, watched, seed }) {
    const systems: { name: string; system: System }[] = []
    const lines: Line[] = []
    try {
      for (const [gateways, cores] of counts) {
        const name = `${gateways} gateways, ${cores} cores`
        const options = { databaseUrl, folder: join(folder, `${gateways}-${cores}`), gateways, cores }
        systems.push({ name, system: await startSystem(options) })
      }
      for (const { what, batch, clients, unit } of kinds) {
        const arms = systems.map(({ name, system: { port, pids } }) => ({
          name,
          watched: { ...watched, ...pids },
          run: (ms: number) => load.run({ kind: 'post', port, shape: shape.name, batch, clients, ms, seed: seed() }),
        }))
        const comparison = await compare(what, arms, { rounds, ms, watched })
        for (const { name } of arms)
          lines.push(lineOf('processes', `${what}: ${name}`, size, unit, comparison, name, arms[0]!.name))
      }
      return lines
    } finally {
      for (const { system } of systems) await system.stop()
    }
  },
}
