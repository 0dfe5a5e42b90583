import type { Registry } from 'prom-client'
import { serveMetrics } from '../metrics/serve.ts'
import { unknownSettings } from '../settings/unknown-settings.ts'
import { metricsAddress, metricsSetting } from '../settings/metrics-settings.ts'
import { readOrExit } from '../settings/read-or-exit.ts'
import type { Env } from '../settings/kinds.ts'
import { tracingSettings } from '../settings/tracing-settings.ts'
import { stopWithParent } from './with-parent.ts'

interface ProcessParts<Config> {
  name: 'core' | 'gateway' | 'portal' | 'player'
  /** Reads the settings. @throws SettingError */
  read: (env: Env) => Config
  /** Resolves when the process can serve. */
  start: (config: Config) => Promise<{ close(): Promise<void>; metrics: Registry }>
  /** Port by setting: names the setting whose port is in use. */
  ports: (config: Config) => Record<string, number>
}

/** Runs a process. A wrong setting or a used port ends it with one line; a signal or its parent's end, in order. */
export async function runProcess<Config>({ name, read, start, ports }: ProcessParts<Config>): Promise<void> {
  for (const line of unknownSettings(process.env)) cry(line)
  const config = readOrExit(read)
  const metrics = readOrExit((env) => metricsAddress(name, env))
  const tracing = name === 'core' || name === 'gateway' ? readOrExit(tracingSettings) : undefined
  // tracing is loaded only here, and before anything is wired
  const traces =
    tracing && import('../tracing/otel.ts').then(({ startTracing }) => startTracing(`games-lrs-${name}`, tracing, cry))
  const running = traces === undefined ? start(config) : traces.then(() => start(config))
  let closing: Promise<void> | undefined
  const close = (): Promise<void> =>
    (closing ??= running.then((process) => process.close()).then(async () => (await traces)?.close()))
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void close().then(() => process.exit(0)))
  stopWithParent(close)
  try {
    const started = await running
    if (metrics) await serveMetrics(started.metrics, metrics)
  } catch (error) {
    const { code, port, message } = error as NodeJS.ErrnoException & { port?: number }
    const setting = Object.entries({ ...ports(config), [metricsSetting(name)]: metrics?.port }).find(
      ([, number]) => number === port,
    )?.[0]
    const used = code === 'EADDRINUSE' && setting !== undefined
    process.stderr.write(
      used ? `Port ${port} is in use: stop what uses it, or set ${setting}.\n` : `${name} cannot start: ${message}\n`,
    )
    process.exit(used ? 2 : 1)
  }
}

function cry(line: string): void {
  process.stderr.write(`${line}\n`)
}
