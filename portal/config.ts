import { choice, integer, SettingError, text, url, type Env } from '../start/settings.ts'

export interface Config {
  readonly host: string
  readonly port: number
  readonly coreUrl: string
  readonly serviceToken: string
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
}

/** Reads the settings of a portal process; the only place in the portal that knows the environment. @throws SettingError */
export function readConfig(env: Env): Config {
  const serviceToken = text('LRS_SERVICE_TOKEN', env, { pattern: /^[^\s,]{16,}$/, accepted: 'a token of at least 16 characters', secret: true })
  if (!serviceToken) throw new SettingError('LRS_SERVICE_TOKEN is not set: the portal needs the token that core has for the role portal.')
  return {
    host: text('PORTAL_HOST', env, { default: '0.0.0.0' }),
    port: integer('PORTAL_PORT', env, { default: 8081, min: 0, max: 65535 }),
    coreUrl: url('CORE_URL', env, { default: 'http://127.0.0.1:8082', protocols: ['http', 'https'] }),
    serviceToken,
    logLevel: choice('LRS_LOG_LEVEL', env, { default: 'info', of: ['debug', 'info', 'warn', 'error'] }),
  }
}
