import type { Database } from '../database.ts'
import { attachmentStore } from './attachments.ts'
import { statementCounter } from './count-statements.ts'
import type { Counting } from './counting.ts'
import { credentialViews } from './credential-views.ts'
import { expiryCounts } from './expiry-counts.ts'
import { expiryDocuments } from './expiry-documents.ts'
import { expiryLooks } from './expiry-looks.ts'
import { expiryStore } from './expiry.ts'
import { gameCredentials } from './game-credentials.ts'
import { credentialStore } from './credentials.ts'
import { endedSessionStore } from './ended-sessions.ts'
import { documentStore } from './documents.ts'
import { gameBytesStore } from './game-bytes.ts'
import { knowledgeStore } from './knowledge.ts'
import { learnerDataStore } from './learner-data.ts'
import { pageReader } from './read-pages.ts'
import { statementReader } from './read-statements.ts'
import { sessionStatementStore } from './session-statements.ts'
import { statementActors } from './statement-actors.ts'
import { suspendedStudioStore } from './suspended-studios.ts'
import { watermark } from './watermark.ts'
import { statementWriter } from './write-statements.ts'

/** The data of some games: what they send, with an order of its own (docs/adr/0019). */
export function cellOver(database: Database, counting: Counting) {
  const order = watermark(database)
  return {
    order,
    credentials: { ...credentialStore(database), ...credentialViews(database), ...gameCredentials },
    statements: {
      ...statementReader(database, order),
      ...pageReader(database, order),
      ...statementWriter(database, order),
      ...statementActors(database),
    },
    countStatements: statementCounter(database),
    attachments: attachmentStore(database),
    documents: documentStore(database),
    knowledge: knowledgeStore(database),
    sessionStatements: sessionStatementStore(database),
    gameBytes: gameBytesStore(database),
    learnerData: learnerDataStore(database, counting),
    expiry: { ...expiryStore(database, counting), ...expiryLooks(database), ...expiryCounts(database) },
    expiryDocuments: { ...expiryDocuments(database), ...expiryCounts(database) },
    endedSessions: endedSessionStore(database),
    suspendedStudios: suspendedStudioStore(database),
  }
}
