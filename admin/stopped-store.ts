import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { takeLock } from '../start/lock.ts'
import { startPostgres, type Postgres } from '../start/postgres.ts'
import type { Env } from '../shared/settings/kinds.ts'
import { dataFolder } from './config.ts'
import { Failed } from './failed.ts'

/** Where the parts of the store of `npm start` are, by their names in a backup. */
export interface Parts {
  readonly postgres: string
  readonly storage: string
  readonly 'secrets.json': string
}

export const partsOf = (env: Env): Parts => {
  const data = dataFolder(env)
  return {
    postgres: join(data, 'postgres'),
    storage: resolve(env['LRS_STORAGE_DIR'] || join(data, 'storage')),
    'secrets.json': join(data, 'secrets.json'),
  }
}

/** Does something while nothing else uses the data folder. @throws Failed while `npm start` runs on it */
export async function whileStopped<T>(env: Env, work: () => Promise<T>): Promise<T> {
  const data = dataFolder(env)
  mkdirSync(data, { recursive: true, mode: 0o755 })
  const lock = takeLock(join(data, 'start.lock'))
  if ('holder' in lock) throw new Failed(`npm start runs on ${data} (process ${lock.holder}): stop it first.`)
  try {
    return await work()
  } finally {
    lock.release()
  }
}

/** Does something with the Postgres of the data folder, then ends it in order, so that its files are complete. */
export async function withPostgres<T>(env: Env, work: (postgres: Postgres) => Promise<T>): Promise<T> {
  const { postgres: dataDir } = partsOf(env)
  if (!existsSync(join(dataDir, 'PG_VERSION')))
    throw new Failed(
      `There is no database in ${dataDir}: run "npm start" first, or set LRS_DATA_DIR to its data folder.`,
    )
  const postgres = await startPostgres({ dataDir, log: join(dataFolder(env), 'logs', 'postgres.log') })
  try {
    return await work(postgres)
  } finally {
    await postgres.stop()
  }
}
