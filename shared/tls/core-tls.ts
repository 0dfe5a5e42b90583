import { SettingError, type Env } from '../settings/kinds.ts'
import { readSettings } from '../settings/settings.ts'
import { readTlsFiles, type TlsFiles } from './tls-files.ts'

/** How a process that calls core checks it, and shows who itself is. */
export interface CoreTls extends TlsFiles {
  /** The name that core's certificate has to have; undefined: the host of the URL. */
  readonly name?: string | undefined
}

/** Reads the settings of those who call core. @throws SettingError */
export function readCoreTls(env: Env): CoreTls {
  const { coreName, coreCaFile, coreCertFile, coreKeyFile } = readSettings('callers', env)
  const file = (setting: string, path?: string) => (path === undefined ? undefined : { setting, path })
  const tls: CoreTls = {
    name: coreName,
    ca: file('LRS_CORE_CA_FILE', coreCaFile),
    cert: file('LRS_CORE_CERT_FILE', coreCertFile),
    key: file('LRS_CORE_KEY_FILE', coreKeyFile),
  }
  readTlsFiles(tls)
  return tls
}

/** The same for a process that always calls core: these settings protect nothing without https. @throws SettingError */
export function readCoreTlsFor(env: Env, setting: string, urls: readonly string[]): CoreTls {
  const tls = readCoreTls(env)
  const plain = urls.some((url) => url.startsWith('http:'))
  const set = tls.ca?.setting ?? tls.cert?.setting ?? (tls.name === undefined ? undefined : 'LRS_CORE_NAME')
  if (!plain || set === undefined) return tls
  throw new SettingError(`${set} is set, but ${setting} has an address with http: use https, or remove ${set}.`)
}
