import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Config, ServiceTokens } from './config.ts'
import { roles } from '../shared/settings/own-kinds.ts'

/** The credential of the first demo game. The secret is known until it was shown, or if the environment sets it. */
export interface DemoCredential {
  key: string
  secret: string | undefined
}

export interface Secrets {
  signingKey: string
  /** Seal secrets in the database. */
  secretKeys: string
  /** Signs the addresses that uploads are sent to. */
  storageKey: string
  serviceTokens: NonNullable<Config['serviceTokens']> & Pick<ServiceTokens, 'player'>
  /** The credential for a store. `fresh`: the store is known to be empty, so notes about an earlier one are dropped. */
  demoCredential(store: string, fresh: boolean): DemoCredential
  /** Forgets the secret of a generated credential, because it was shown. */
  shown(store: string): void
}

interface Kept {
  signingKey?: string
  secretKeys?: string
  storageKey?: string
  serviceTokens?: Partial<ServiceTokens>
  demo?: Record<string, { key: string; secret?: string }>
}

/** Generated secrets, kept in `secrets.json` of the data folder. Values of the environment win and are not kept. */
export function openSecrets(config: Config): Secrets {
  const file = join(config.dataDir, 'secrets.json')
  const kept = read(file)
  kept.signingKey ??= token()
  kept.secretKeys ??= token()
  kept.storageKey ??= token()
  const tokens = roles.map((role) => [role, kept.serviceTokens?.[role] ?? token()] as const)
  kept.serviceTokens = Object.fromEntries(tokens)
  kept.demo ??= {}
  const demo = kept.demo
  const { player } = kept.serviceTokens as ServiceTokens
  write(file, kept)
  return {
    signingKey: config.signingKey ?? kept.signingKey,
    secretKeys: config.secretKeys ?? kept.secretKeys,
    storageKey: kept.storageKey,
    serviceTokens: config.serviceTokens ? { player, ...config.serviceTokens } : (kept.serviceTokens as ServiceTokens),
    demoCredential(store, fresh) {
      const { bootstrapKey, bootstrapSecret } = config
      if (fresh) delete demo[store]
      const known = demo[store]
      const key = bootstrapKey ?? known?.key ?? `demo-${randomBytes(6).toString('hex')}`
      if (bootstrapSecret !== undefined) {
        demo[store] = { key }
      } else if (known?.key !== key) {
        demo[store] = { key, secret: token() }
      }
      write(file, kept)
      return { key, secret: bootstrapSecret ?? demo[store]?.secret }
    },
    shown(store) {
      delete demo[store]?.secret
      write(file, kept)
    },
  }
}

/** 32 random bytes in base64url. */
function token(): string {
  return randomBytes(32).toString('base64url')
}

function read(file: string): Kept {
  try {
    chmodSync(file, 0o600)
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    if (error instanceof SyntaxError) {
      throw new Error(`${file} is not JSON any more: bring it back, or remove it for new secrets.`, { cause: error })
    }
    throw error
  }
}

/** Writes only if something has changed: a start by another user (root, once) would become the owner of the file. */
function write(file: string, kept: Kept): void {
  const text = `${JSON.stringify(kept, null, 2)}\n`
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  const making = `${file}.new`
  const descriptor = openSync(making, 'w', 0o600)
  writeSync(descriptor, text)
  fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(making, file)
}
