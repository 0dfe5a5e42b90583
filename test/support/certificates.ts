import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Authority {
  /** File of its certificate. */
  readonly ca: string
  /** Makes a certificate for this name; its files. */
  issue(name: string, days?: number): { cert: string; key: string }
}

/** Authorities and certificates in a folder, made by openssl. */
export function certificates() {
  const folder = mkdtempSync(join(tmpdir(), 'lrs-tls-'))
  let made = 0
  const path = (end: string): string => join(folder, `${++made}.${end}`)
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  return {
    folder,
    authority(): Authority {
      const [ca, caKey] = [path('pem'), path('key')]
      openssl('req', '-x509', ...newKey, '-days', '2', '-subj', `/CN=CA ${made}`, '-keyout', caKey, '-out', ca)
      return {
        ca,
        issue(name, days = 1) {
          const [request, cert, key, extensions] = [path('csr'), path('pem'), path('key'), path('ext')]
          writeFileSync(extensions, `subjectAltName=DNS:${name}\n`)
          openssl('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', key, '-out', request)
          const [by, to] = [
            ['-CA', ca, '-CAkey', caKey, '-CAcreateserial'],
            ['-days', `${days}`, '-out', cert],
          ]
          openssl('x509', '-req', '-in', request, ...by, '-extfile', extensions, ...to)
          return { cert, key }
        },
      }
    },
    /** A file of this name with the content of another one; replaced at once, as tools that renew certificates do. */
    put(name: string, from: string): string {
      const file = join(folder, name)
      copyFileSync(from, `${file}.new`)
      renameSync(`${file}.new`, file)
      return file
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
