import { join } from 'node:path'
import { answers } from '../../start/ports.ts'
import { compare, type Arm } from '../arms.ts'
import type { StoreJob } from '../load/job.ts'
import { freePort, startProcess } from '../processes.ts'
import { lineOf, type Bench, type Line, type Suite } from '../suite.ts'
import { standIn } from '../system.ts'

/**
 * Stores by gRPC, with JSON and typed: one stream beside REST with as many requests under way, and a call for each request
 * beside calls that are answered at once by the same stack.
 */
export const typed: Suite = {
  name: 'typed',
  once: true,
  async run(bench) {
    const lines: Line[] = []
    for (const [batch, clients] of [
      [1, 16],
      [10, 16],
      [250, 8],
    ] as const)
      lines.push(...(await storesOf(batch, clients, bench)))
    return lines
  },
}

async function storesOf(batch: number, clients: number, bench: Bench): Promise<Line[]> {
  const {
    system,
    load,
    shape: { name: shape },
    size,
    watched,
    folder,
    seed,
  } = bench
  const port = await freePort()
  const env = { CORE_PORT: String(port), ECHO_IDS: String(batch) }
  const echo = await startProcess(standIn('echo'), env, join(folder, 'echo.log'), () => answers(port))
  const job = (ms: number) => ({ shape, batch, clients, ms, seed: seed() })
  const store = (way: StoreJob['way'], form: StoreJob['form']): Arm => ({
    name: `${way} ${form}`,
    run: (ms) => load.run({ kind: 'store', port: system.corePort, way, form, ...job(ms) }),
  })
  const echoed = (form: StoreJob['form']): Arm => ({
    name: `echo ${form}`,
    watched: { ...watched, core: echo.pid },
    run: (ms) => load.run({ kind: 'store', port, way: 'unary', form, echo: true, ...job(ms) }),
  })
  const rest: Arm = { name: 'REST', run: (ms) => load.run({ kind: 'post', port: system.port, ...job(ms) }) }
  const forms = ['json', 'typed'] as const
  try {
    const arms = [rest, ...forms.flatMap((form) => [store('unary', form), store('stream', form), echoed(form)])]
    const comparison = await compare(`stores of ${batch}`, arms, bench)
    const line = (arm: string, floor: string, goal?: Line['goal']): Line =>
      lineOf('typed', `${arm} of ${batch}, ${clients} under way`, size, 'statements/s', comparison, arm, floor, goal)
    const goal = { atLeast: 0.8 }
    return forms.flatMap((form) => [
      line(`stream ${form}`, 'REST', goal),
      line(`unary ${form}`, `echo ${form}`, goal),
      line(`unary ${form}`, 'REST'),
    ])
  } finally {
    await echo.stop()
  }
}
