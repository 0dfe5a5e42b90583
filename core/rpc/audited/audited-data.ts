import { AttachmentService } from '../../../gen/lrs/v1/attachments_pb.js'
import { DocumentService } from '../../../gen/lrs/v1/documents_pb.js'
import { ExportService } from '../../../gen/lrs/v1/exports_pb.js'
import { ForwardService, type ForwardSettings } from '../../../gen/lrs/v1/forwards_pb.js'
import { AnswerService } from '../../../gen/lrs/v1/answers_pb.js'
import { SeriousGamesService } from '../../../gen/lrs/v1/serious_games_pb.js'
import { InsightService } from '../../../gen/lrs/v1/insights_pb.js'
import { LearnerService } from '../../../gen/lrs/v1/learners_pb.js'
import { OwnDataService } from '../../../gen/lrs/v1/own_data_pb.js'
import { StatementService } from '../../../gen/lrs/v1/statements_pb.js'
import { detailsOf } from '../services/export-form.ts'
import {
  audited,
  erasure,
  exported,
  game,
  hostOf,
  numberOf,
  ofGame,
  reads,
  traffic,
} from '../services/audit-entries.ts'

/** What is kept of statements, documents, exports, answers and learners. */
export const ofData = [
  ...audited(StatementService, {
    storeStatements: traffic,
    storeStatementsStream: traffic,
    getStatement: exported,
    queryStatements: exported,
    follow: exported,
    getPerson: exported,
    getActivity: traffic,
  }),
  ...audited(AttachmentService, { storeWithAttachments: traffic, getAttachment: exported }),
  ...audited(DocumentService, {
    putDocument: traffic,
    getDocument: exported,
    listDocuments: traffic,
    deleteDocument: traffic,
    deleteDocuments: traffic,
  }),
  ...audited(ForwardService, {
    listForwards: reads,
    getForward: reads,
    addForward: {
      ...ofGame('forward.add'),
      details: ({ settings, since }, done) => ({
        forward: done?.forward?.forwardId,
        ...formOf(settings),
        backfill: since !== '',
        host: hostOf(settings?.endpoint, done),
      }),
    },
    changeForward: {
      ...ofForward('forward.change'),
      details: ({ forwardId, settings, credential }, done) => ({
        forward: done && forwardId,
        ...formOf(settings),
        credential: credential?.kind.case !== undefined,
      }),
    },
    testForward: {
      ...ofGame('forward.test'),
      details: ({ settings }, done) => ({ host: hostOf(settings?.endpoint, done), works: done && done.problem === '' }),
    },
    pauseForward: {
      ...ofForward('forward.pause'),
      details: ({ forwardId, paused }, done) => ({ forward: done && forwardId, paused }),
    },
    sendAgain: ofForward('forward.send-again'),
    retrySetAside: ofForward('forward.retry'),
    removeForward: ofForward('forward.remove'),
  }),
  ...audited(ExportService, {
    exportStatements: { action: 'statements.export' },
    countExport: reads,
    startExport: { ...ofGame('statements.export'), details: (request) => ({ ...detailsOf(request), job: true }) },
    listExports: reads,
    getExport: {
      action: 'statements.download',
      subject: (_, done) => done?.export && game(done.export),
      details: ({ exportId }, done) => ({ export: done && exportId }),
      unless: ({ forFile }) => !forFile,
    },
    cancelExport: {
      action: 'statements.cancel-export',
      details: ({ exportId }, done) => ({ export: done && exportId }),
    },
  }),
  ...audited(InsightService, { getInsights: reads }),
  ...audited(AnswerService, { getAnswers: reads }),
  ...audited(SeriousGamesService, {
    listCompletables: reads,
    listProgress: reads,
    listReachables: reads,
    listAlternatives: reads,
    listTargets: reads,
  }),
  ...audited(LearnerService, {
    findLearners: reads,
    getLearner: reads,
    listLearnerSessions: reads,
    getLearnerDocument: reads,
    exportGameLearner: { action: 'learner.export', subject: game },
    eraseGameLearner: {
      ...erasure,
      details: (_, done) => erasure.details(_, done?.receipt),
      subject: game,
    },
  }),
  ...audited(OwnDataService, {
    getOwnData: reads,
    exportOwnData: { action: 'learner.export-own' },
    askErasure: { action: 'learner.ask-erasure', details: (_, done) => ({ request: done?.request?.requestId }) },
    takeBackErasure: { action: 'learner.take-back-erasure' },
    listErasureRequests: reads,
    decideErasure: {
      action: 'learner.decide-erasure',
      subject: game,
      details: ({ requestId, erase }, done) => ({
        request: requestId,
        decision: erase ? 'erased' : 'refused',
        ...(erase ? { receipt: done?.receipt?.receiptId, statements: numberOf(done?.receipt?.statements) } : {}),
      }),
    },
  }),
]

/** The handler tells whose game it is. */
function ofForward(action: string) {
  return { action, details: ({ forwardId }: { forwardId: string }, done?: object) => ({ forward: done && forwardId }) }
}

function formOf(settings: ForwardSettings | undefined) {
  return { sandbox: settings?.sandbox, pseudonyms: settings?.pseudonyms, attachments: settings?.attachments }
}
