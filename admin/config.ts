import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { usualDataDir } from '../start/config.ts'
import { runningPorts } from '../start/running.ts'
import { httpUrl, SettingError, type Env } from '../shared/settings/kinds.ts'
import { readCoreTls, type CoreTls } from '../shared/tls/core-tls.ts'
import { token as tokenKind } from '../shared/settings/own-kinds.ts'
import { readSetting } from '../shared/settings/settings.ts'
import { profileOf } from './profiles.ts'

/** The options that every command has. */
export interface Given {
  readonly core?: string
  readonly token?: string
  readonly tokenFile?: string
  readonly profile?: string
  readonly json?: boolean
}

export interface Config {
  readonly coreUrl: string
  readonly coreTls?: CoreTls
  readonly token: string
  /** Where the token is from, for people. */
  readonly tokenFrom: string
  /** It is what `npm start` runs here: nothing else was said. */
  readonly isOwn: boolean
}

/**
 * Where core is and with which token it is called: options, else the profile that is named, else the environment, else the
 * current profile, else what `npm start` keeps for core on this machine. A profile's token goes to its own core only.
 * @throws SettingError
 */
export function readConfig(options: Given, env: Env): Config {
  const named = options.profile === undefined ? undefined : profileOf(options.profile, env)
  const around =
    options.profile === undefined ? env : { CORE_PORT: env['CORE_PORT'], LRS_DATA_DIR: env['LRS_DATA_DIR'] }
  const core = coreOption(options) ?? named?.core ?? addressOf(around)
  const profile = named ?? (core === undefined && options.profile === undefined ? profileOf(undefined, env) : undefined)
  const coreUrl = core ?? profile?.core ?? `http://127.0.0.1:${ownPort(around)}`
  requireNoPassword(coreUrl)
  const ofProfile = profile && profile.core === coreUrl ? profile.token : undefined
  const kept =
    ofProfile === undefined
      ? undefined
      : {
          token: ofProfile,
          tokenFrom: options.profile === undefined ? 'the profile in use' : `the profile ${options.profile}`,
        }
  const found =
    given(tokenOption(options), '--token') ??
    given(tokenOfFile(options), '--token-file') ??
    (named && kept) ??
    given(readSetting('LRS_TOKEN', around), 'LRS_TOKEN') ??
    given(readSetting('LRS_SERVICE_TOKEN', around), 'LRS_SERVICE_TOKEN') ??
    kept ??
    ownToken(around, coreUrl)
  return {
    coreUrl: coreUrl.replace(/\/+$/, ''),
    coreTls: readCoreTls(env),
    ...found,
    isOwn: core === undefined && profile === undefined,
  }
}

type Token = Pick<Config, 'token' | 'tokenFrom'>

const given = (token: string | undefined, tokenFrom: string): Token | undefined =>
  token === undefined ? undefined : { token, tokenFrom }

/** CORE_URL has a usual value, after all others. @throws SettingError */
const addressOf = (env: Env): string | undefined =>
  readSetting('LRS_CORE_URL', env) ?? (env['CORE_URL'] ? readSetting('CORE_URL', env) : undefined)

/** @throws SettingError */
export function coreOption({ core }: Given): string | undefined {
  const named = core ? httpUrl.parse('--core', core) : undefined
  if (named !== undefined) requireNoPassword(named)
  return named
}

/** Addresses are shown; tokens are not. @throws SettingError */
function requireNoPassword(coreUrl: string): void {
  const { username, password } = new URL(coreUrl)
  if (username !== '' || password !== '')
    throw new SettingError('The address of core must not contain a password. Put the token into LRS_SERVICE_TOKEN.')
}

/** @throws SettingError */
export const tokenOption = ({ token }: Given): string | undefined =>
  token ? tokenKind.parse('--token', token) : undefined

/** The first line of the file. @throws SettingError */
function tokenOfFile({ tokenFile }: Given): string | undefined {
  if (tokenFile === undefined) return undefined
  try {
    const [line = ''] = readFileSync(tokenFile, 'utf8').slice(0, 10_000).split('\n', 1)
    return tokenKind.parse('--token-file', line.trim())
  } catch (error) {
    if (error instanceof SettingError) throw error
    throw new SettingError(`The token cannot be read from ${tokenFile}: ${(error as NodeJS.ErrnoException).code}.`)
  }
}

/** Whether it is the token of a member of a studio, not that of an admin. */
export const isPersonal = ({ token }: Pick<Config, 'token'>): boolean => token.startsWith('lrspt_')

/** Where `npm start` keeps what is generated. */
export const dataFolder = (env: Env): string => resolve(env['LRS_DATA_DIR'] || usualDataDir)

/** Address of the core of `npm start`: the setting, else that of the running one, else the default. @throws SettingError */
const ownPort = (env: Env): number =>
  env['CORE_PORT']
    ? readSetting('CORE_PORT', env)
    : (runningPorts(dataFolder(env))?.['CORE_PORT'] ?? readSetting('CORE_PORT', env))

/** Whether what is sent there stays on this machine. */
export const isHere = (coreUrl: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(coreUrl).hostname)

/** The token of core: from the environment, else from the data folder, but only for a core on this machine. */
function ownToken(env: Env, coreUrl: string): Token {
  const among = /(?:^|,) *admin=([^\s,]+)/.exec(env['LRS_SERVICE_TOKENS'] ?? '')?.[1]
  if (among !== undefined) return { token: among, tokenFrom: 'LRS_SERVICE_TOKENS' }
  if (!isHere(coreUrl))
    throw new SettingError(`There is no token for ${coreUrl}: set LRS_SERVICE_TOKEN, or store one with "profile add".`)
  const file = join(dataFolder(env), 'secrets.json')
  try {
    const token: unknown = JSON.parse(readFileSync(file, 'utf8')).serviceTokens.admin
    if (typeof token === 'string') return { token, tokenFrom: file }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES')
      throw new SettingError(
        `${file} belongs to another user: run this command as the user who runs npm start, or set LRS_SERVICE_TOKEN.`,
      )
  }
  throw new SettingError(
    `There is no admin token in ${file}: run "npm start" first, or set LRS_DATA_DIR to its data folder, or LRS_SERVICE_TOKEN.`,
  )
}
