import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Failed } from '../failed.ts'
import type { Work } from '../command.ts'
import { whileStopped, withPostgres } from '../stopped-store.ts'

const script = fileURLToPath(new URL('../../core/migrate.ts', import.meta.url))

/** Brings the schema of DATABASE_URL, or of the database of `npm start`, to the version of this program. */
export const migrate: Work<object> = async ({ env, ending }) => {
  const url = env['DATABASE_URL']
  const version = url
    ? await bring(url)
    : await whileStopped(env, () => withPostgres(env, (postgres) => bring(postgres.url)))
  return { json: { schemaVersion: version }, text: `The schema is at version ${version}.` }

  async function bring(url: string): Promise<number> {
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [script], {
        env: { PATH: env['PATH'], DATABASE_URL: url, LRS_MIGRATION_DATABASE_URL: env['LRS_MIGRATION_DATABASE_URL'] },
        signal: ending,
      })
      return Number(stdout)
    } catch (error) {
      const why = (error as { stderr?: string }).stderr?.trim()
      if (!why) throw new Failed('The migration was interrupted: nothing has changed.')
      throw new Failed(
        /^(The |DATABASE_URL|LRS_)/.test(why) ? why : `The database of DATABASE_URL cannot be used: ${why}`,
      )
    }
  }
}
