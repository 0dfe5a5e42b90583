import type { Database } from '../../core/process/database/database.ts'
import { documentStore } from '../../core/records/store/cell/documents.ts'
import { statementReader } from '../../core/records/store/cell/read-statements.ts'
import { statementWriter, type Batch } from '../../core/records/store/cell/write-statements.ts'
import type { Query } from './job.ts'

/**
 * Runs `work` on a store without a database and answers the query that it would have sent: so the floor runs the very
 * SQL of the store, whatever that becomes.
 */
async function record(work: (database: Database) => Promise<unknown>): Promise<Query> {
  let sent: Query | undefined
  const run: Database['run'] = async ({ name, text }, values) => {
    sent = { name: `floor_${name}`, text, values }
    throw new Recorded()
  }
  const database = { run, rows: run } as unknown as Database
  await work(database).catch((error: unknown) => {
    if (!(error instanceof Recorded)) throw error
  })
  if (!sent) throw new Error('nothing was sent to the database')
  return sent
}

class Recorded extends Error {}

const still = { learn: () => {}, read: async () => 0, ask: async () => 0 }

type Statements = ReturnType<typeof statementReader>
type Documents = ReturnType<typeof documentStore>

export const recordWrite = (batch: Batch): Promise<Query> =>
  record((database) => statementWriter(database, still).store([batch]))
export const recordRead = (read: (statements: Statements) => Promise<unknown>): Promise<Query> =>
  record((database) => read(statementReader(database, still)))
export const recordDocument = (call: (documents: Documents) => Promise<unknown>): Promise<Query> =>
  record((database) => call(documentStore(database)))
