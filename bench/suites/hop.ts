import { join } from 'node:path'
import { compare } from '../arms.ts'
import { lineOf, type Suite } from '../suite.ts'
import { standIn, startSystem, type System } from '../system.ts'

const clients = 16

/** POST of 1 through gateway and core, with a core that has no Postgres behind it, beside the gateway answering by itself. */
export const hop: Suite = {
  name: 'hop',
  once: true,
  async run({ system, load, shape, databaseUrl, folder, size, rounds, ms, watched, profile, seed }) {
    const both = await startSystem({ databaseUrl, folder: join(folder, 'hop'), profile, coreScript: standIn('core') })
    const alone = await startSystem({
      databaseUrl,
      folder: join(folder, 'alone'),
      profile,
      coreScript: standIn('core'),
      gatewayScript: standIn('gateway'),
    })
    try {
      const arm = (name: string, { port, gateway, core }: System) => ({
        name,
        watched: { ...watched, gateway: gateway.pid, core: core.pid },
        run: (ms: number) => load.run({ kind: 'post', port, shape: shape.name, batch: 1, clients, ms, seed: seed() }),
      })
      const [short, long, whole] = [
        arm('gateway alone', alone),
        arm('gateway and core', both),
        arm('the whole system', system),
      ]
      const comparison = await compare('the hop from gateway to core', [short, long, whole], { rounds, ms, watched })
      return [
        lineOf(
          'hop',
          `POST of 1, ${clients} clients, gateway and core without Postgres`,
          size,
          'requests/s',
          comparison,
          long.name,
          short.name,
          { atLeast: 0.5 },
        ),
        lineOf(
          'hop',
          `POST of 1, ${clients} clients, with Postgres`,
          size,
          'requests/s',
          comparison,
          whole.name,
          short.name,
        ),
      ]
    } finally {
      await alone.stop()
      await both.stop()
    }
  },
}
