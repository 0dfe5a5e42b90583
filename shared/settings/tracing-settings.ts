import { choice, integer, SettingError, text, url, type Env } from './settings.ts'

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type SamplerName = (typeof samplers)[number]

export interface TracingSettings {
  readonly sampler: SamplerName
  /** Share of the traces that samplers with a ratio take. */
  readonly ratio: number
  /** Milliseconds that a span may wait to be sent with others. */
  readonly everyMs: number
}

/** Whether and how to trace, by the settings of OpenTelemetry; undefined: not at all. @throws SettingError */
export function tracingSettings(env: Env): TracingSettings | undefined {
  const endpoint = url('OTEL_EXPORTER_OTLP_ENDPOINT', env, { protocols: ['http', 'https'] })
  const disabled = text('OTEL_SDK_DISABLED', env, { default: 'false' }).toLowerCase() === 'true'
  if (endpoint === undefined || disabled || text('OTEL_TRACES_EXPORTER', env) === 'none') return undefined
  choice('OTEL_EXPORTER_OTLP_PROTOCOL', env, { default: 'http/protobuf', of: ['http/protobuf'] })
  return {
    sampler: choice<SamplerName>('OTEL_TRACES_SAMPLER', env, { default: 'parentbased_always_on', of: samplers }),
    ratio: ratio(env),
    everyMs: integer('OTEL_BSP_SCHEDULE_DELAY', env, { default: 5_000, min: 10, max: 600_000 }),
  }
}

function ratio(env: Env): number {
  const number = Number(text('OTEL_TRACES_SAMPLER_ARG', env, { default: '1' }))
  if (number >= 0 && number <= 1) return number
  throw new SettingError('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.')
}
