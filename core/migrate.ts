import { readOrExit } from '../shared/settings/read-or-exit.ts'
import { readDatabaseUrl } from './process/config/config.ts'
import { readSetting } from '../shared/settings/settings.ts'
import { openDatabase } from './process/database/database.ts'
import { migrateAs } from './process/database/owner.ts'

// Brings the schema of DATABASE_URL to this program's version without serving, and prints that version.
const url = readOrExit(readDatabaseUrl)
const ownerUrl = readOrExit((env) => readSetting('LRS_MIGRATION_DATABASE_URL', env))
const database = openDatabase({ url, connections: 2, wait: 10_000, statementTimeout: 0 })
try {
  process.stdout.write(`${await migrateAs(ownerUrl, database)}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
} finally {
  await database.close()
}
