import type { Env } from './kinds.ts'
import { readSetting } from './settings.ts'

const settings = {
  core: 'CORE_METRICS_PORT',
  gateway: 'GATEWAY_METRICS_PORT',
  portal: 'PORTAL_METRICS_PORT',
  player: 'PLAYER_METRICS_PORT',
} as const
type ProcessName = keyof typeof settings

/** The setting of the port of a process's metrics. */
export const metricsSetting = (name: ProcessName): string => settings[name]

/** Address of the metrics; undefined: off. @throws SettingError */
export function metricsAddress(name: ProcessName, env: Env): { host: string; port: number } | undefined {
  const port = readSetting(settings[name], env)
  return port === undefined ? undefined : { host: readSetting('LRS_METRICS_HOST', env), port }
}

/** Ports of the metrics of all processes, as far as this one was told them. @throws SettingError */
export const metricsPorts = (env: Env): number[] =>
  Object.values(settings).flatMap((name) => readSetting(name, env) ?? [])
