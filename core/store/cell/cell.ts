import type { Database } from '../database.ts'
import { answerStore } from './answers.ts'
import { attachmentStore } from './attachments.ts'
import { statementCounter } from './count-statements.ts'
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
import { insightStore } from './insights.ts'
import { knowledgeStore } from './knowledge.ts'
import { learnerDataStore } from './learner-data.ts'
import { sessionBuildStore } from './session-builds.ts'
import { learnersSeenStore } from './learners-seen.ts'
import { learnerResultStore } from './learner-results.ts'
import { refusalStore } from './refusals.ts'
import { playStore } from './plays.ts'
import { pageReader } from './read-pages.ts'
import { statementReader } from './read-statements.ts'
import { sessionPlayStore } from './session-plays.ts'
import { sessionStatementStore } from './session-statements.ts'
import { statementActors } from './statement-actors.ts'
import { suspendedStudioStore } from './suspended-studios.ts'
import { tallyStore } from './tallies.ts'
import { tallyNameStore } from './tally-names.ts'
import { watermark } from './watermark.ts'
import { statementWriter } from './write-statements.ts'

/** The data of some games: what they send and what follows from it, with an order of its own (docs/adr/0019). */
export function cellOver(database: Database) {
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
    refusals: refusalStore(database),
    tallies: tallyStore(database),
    tallyNames: tallyNameStore(database),
    insights: insightStore(database),
    plays: { ...playStore(database), ...sessionPlayStore(database) },
    sessionBuilds: sessionBuildStore(database),
    sessionStatements: sessionStatementStore(database),
    answers: answerStore(database),
    gameBytes: gameBytesStore(database),
    learnerData: learnerDataStore(database),
    learnersSeen: learnersSeenStore(database),
    learnerResults: learnerResultStore(database),
    expiry: { ...expiryStore(database), ...expiryLooks(database), ...expiryCounts(database) },
    expiryDocuments: { ...expiryDocuments(database), ...expiryCounts(database) },
    endedSessions: endedSessionStore(database),
    suspendedStudios: suspendedStudioStore(database),
  }
}
