import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { integer, SettingError, text, url, type Env } from '../start/settings.ts'

export interface Config {
  readonly coreUrl: string
  readonly token: string
}

const address = { protocols: ['http', 'https'] }
const secret = { pattern: /^[^\s,]{16,}$/, accepted: 'a token of at least 16 characters', secret: true }

/**
 * Where core is and with which token it is called: options, else the environment, else what `npm start` keeps for core
 * on this machine. @throws SettingError
 */
export function readConfig(options: { core?: string; token?: string }, env: Env): Config {
  const port = integer('CORE_PORT', env, { default: 8082, min: 1, max: 65535 })
  return {
    coreUrl: url('--core', { '--core': options.core }, address) ?? url('LRS_CORE_URL', env, address) ?? url('CORE_URL', env, address) ?? `http://127.0.0.1:${port}`,
    token: text('--token', { '--token': options.token }, secret) ?? text('LRS_SERVICE_TOKEN', env, secret) ?? ownToken(env),
  }
}

/** The token that core was started with: of the same environment, else of the data folder. */
function ownToken(env: Env): string {
  const given = /(?:^|,) *admin=([^\s,]+)/.exec(env['LRS_SERVICE_TOKENS'] ?? '')?.[1]
  if (given !== undefined) return given
  const file = join(resolve(env['LRS_DATA_DIR'] || resolve(import.meta.dirname, '..', 'data')), 'secrets.json')
  try {
    const token: unknown = JSON.parse(readFileSync(file, 'utf8')).serviceTokens.admin
    if (typeof token === 'string') return token
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES') throw new SettingError(`${file} belongs to another user: run this as the one who runs npm start, or set LRS_SERVICE_TOKEN.`)
  }
  throw new SettingError(`There is no admin token in ${file}: set LRS_SERVICE_TOKEN, or LRS_DATA_DIR to the data folder of npm start.`)
}
