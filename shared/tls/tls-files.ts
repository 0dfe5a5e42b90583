import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import { SettingError } from '../settings/kinds.ts'

/** A file, and the setting that names it. */
export interface TlsFile {
  readonly setting: string
  readonly path: string
}

/** What TLS between processes needs, in PEM: whom to trust, and who this process is. */
export interface TlsFiles {
  readonly ca?: TlsFile | undefined
  readonly cert?: TlsFile | undefined
  readonly key?: TlsFile | undefined
  /** Milliseconds between two looks at the files; default: 10 s. */
  readonly everyMs?: number
}

export interface TlsMaterial {
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
}

/** The contents of the files as they are now: they may be replaced while the process runs. */
export interface WatchedTls {
  current(): TlsMaterial
  onChange(use: (material: TlsMaterial) => void): void
  close(): void
}

/** Reads the files and checks that they can be used. @throws SettingError */
export function readTlsFiles({ ca, cert, key }: TlsFiles): TlsMaterial {
  if (cert && !key) throw new SettingError(`${cert.setting} is set, but the setting of its key is not: set both.`)
  if (key && !cert)
    throw new SettingError(`${key.setting} is set, but the setting of its certificate is not: set both.`)
  const material: TlsMaterial = {
    ...(ca && { ca: contentOf(ca) }),
    ...(cert && { cert: contentOf(cert) }),
    ...(key && { key: contentOf(key) }),
  }
  if (ca) certificateIn(ca, material.ca!)
  if (cert && key && !certificateIn(cert, material.cert!).checkPrivateKey(keyIn(key, material.key!)))
    throw new SettingError(`${cert.setting} and ${key.setting} do not belong together: ${cert.path} has another key.`)
  return material
}

/** Reads the files again and again. Files that cannot be used leave the last ones in use, and one line in the log. */
export function watchTlsFiles(files: TlsFiles, log: Logger): WatchedTls {
  let material = readTlsFiles(files)
  let complained = ''
  const users = new Set<(material: TlsMaterial) => void>()
  const timer = setInterval(look, files.everyMs ?? 10_000).unref()

  function look(): void {
    try {
      const found = readTlsFiles(files)
      complained = ''
      if (isSame(found, material)) return
      material = found
      for (const use of users) use(material)
      log.info({ until: found.cert && new X509Certificate(found.cert).validTo }, 'new TLS files are in use')
    } catch (error) {
      const { message } = error as Error
      if (message !== complained) log.error(`${message} The last TLS files stay in use.`)
      complained = message
    }
  }

  return {
    current: () => material,
    onChange: (use) => void users.add(use),
    close: () => clearInterval(timer),
  }
}

function contentOf({ setting, path }: TlsFile): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new SettingError(
      `${setting} names a file that cannot be read: ${path} (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
}

/** The first certificate of the file. */
function certificateIn({ setting, path }: TlsFile, content: Buffer): X509Certificate {
  let found: X509Certificate
  try {
    found = new X509Certificate(content)
  } catch {
    throw new SettingError(`${setting} must name a file with a certificate in PEM, but ${path} has none.`)
  }
  if (Date.parse(found.validTo) > Date.now()) return found
  throw new SettingError(`${setting} names a certificate that has ended: ${path} was valid until ${found.validTo}.`)
}

function keyIn({ setting, path }: TlsFile, content: Buffer): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(content)
  } catch {
    throw new SettingError(
      `${setting} must name a file with a private key in PEM without a passphrase, but ${path} has none.`,
    )
  }
}

const isSame = (one: TlsMaterial, other: TlsMaterial): boolean =>
  (['ca', 'cert', 'key'] as const).every((part) => Buffer.compare(one[part] ?? empty, other[part] ?? empty) === 0)

const empty = Buffer.alloc(0)
