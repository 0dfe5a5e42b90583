import { integer, text, type Env } from './settings.ts'

type ProcessName = 'core' | 'gateway' | 'portal' | 'player'

const settings = {
  core: 'CORE_METRICS_PORT',
  gateway: 'GATEWAY_METRICS_PORT',
  portal: 'PORTAL_METRICS_PORT',
  player: 'PLAYER_METRICS_PORT',
} as const

/** The setting of the port of a process's metrics. */
export const metricsSetting = (name: ProcessName): string => settings[name]

/** Address of the metrics; undefined: off. @throws SettingError */
export function metricsAddress(name: ProcessName, env: Env): { host: string; port: number } | undefined {
  const port = integer(settings[name], env, { default: 0, min: 1, max: 65535 })
  return port === 0 ? undefined : { host: text('LRS_METRICS_HOST', env, { default: '127.0.0.1' }), port }
}

/** Ports of the metrics of all processes, as far as this one was told them. @throws SettingError */
export const metricsPorts = (env: Env): number[] =>
  Object.values(settings)
    .map((name) => integer(name, env, { default: 0, min: 1, max: 65535 }))
    .filter((port) => port !== 0)
