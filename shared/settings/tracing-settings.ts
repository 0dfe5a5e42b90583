import type { Env } from './kinds.ts'
import { readSetting, readSettings, type Settings } from './settings.ts'

export interface TracingSettings {
  readonly sampler: Settings<'traces'>['otelTracesSampler']
  /** Share of the traces that samplers with a ratio take. */
  readonly ratio: number
  /** Milliseconds that a span may wait to be sent with others. */
  readonly everyMs: number
}

/** Whether and how to trace, by the settings of OpenTelemetry; undefined: not at all. @throws SettingError */
export function tracingSettings(env: Env): TracingSettings | undefined {
  const endpoint = readSetting('OTEL_EXPORTER_OTLP_ENDPOINT', env)
  const disabled = readSetting('OTEL_SDK_DISABLED', env).toLowerCase() === 'true'
  if (endpoint === undefined || disabled || readSetting('OTEL_TRACES_EXPORTER', env) === 'none') return undefined
  const settings = readSettings('traces', env)
  return {
    sampler: settings.otelTracesSampler,
    ratio: settings.otelTracesSamplerArg,
    everyMs: settings.otelBspScheduleDelay,
  }
}
