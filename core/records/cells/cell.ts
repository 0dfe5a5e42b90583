import type { Database } from '../../process/database/database.ts'
import { attachmentStore } from '../store/cell/attachments.ts'
import { statementCounter } from '../store/cell/count-statements.ts'
import type { Counting } from '../store/cell/counting.ts'
import { credentialViews } from '../store/cell/credential-views.ts'
import { expiryCounts } from '../store/cell/expiry-counts.ts'
import { expiryDocuments } from '../store/cell/expiry-documents.ts'
import { expiryLooks } from '../store/cell/expiry-looks.ts'
import { expiryStore } from '../store/cell/expiry.ts'
import { gameCredentials } from '../store/cell/game-credentials.ts'
import { credentialStore } from '../store/cell/credentials.ts'
import { endedSessionStore } from '../store/cell/ended-sessions.ts'
import { documentStore } from '../store/cell/documents.ts'
import { gameBytesStore } from '../store/cell/game-bytes.ts'
import { knowledgeStore } from '../store/cell/knowledge.ts'
import { learnerDataStore } from '../store/cell/learner-data.ts'
import { pageReader } from '../store/cell/read-pages.ts'
import { statementReader, statementActors } from '../store/cell/read-statements.ts'
import { sessionStatementStore } from '../store/cell/session-statements.ts'
import { suspendedStudioStore } from '../store/cell/suspended-studios.ts'
import { watermark, type Watermark } from '../store/cell/watermark.ts'
import { statementWriter } from '../store/cell/write-statements.ts'

/** The data of some games: what they send, with an order of its own (docs/adr/0019). */
export function cellOver(
  database: Database,
  counting: Counting,
  onCommit?: (games: ReadonlySet<number>) => void,
  order: Watermark = watermark(database),
) {
  return {
    order,
    credentials: { ...credentialStore(database), ...credentialViews(database), ...gameCredentials },
    statements: {
      ...statementReader(database, order),
      ...pageReader(database, order),
      ...statementWriter(database, order, onCommit),
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
