import { Health } from '../../../gen/grpc/health/v1/health_pb.js'
import { ServerReflection } from '../../../gen/grpc/reflection/v1/reflection_pb.js'
import { ServerReflection as ServerReflectionAlpha } from '../../../gen/grpc/reflection/v1alpha/reflection_pb.js'
import { AdminService } from '../../../gen/lrs/v1/admin_pb.js'
import { AuditService } from '../../../gen/lrs/v1/audit_pb.js'
import { CellService } from '../../../gen/lrs/v1/cells_pb.js'
import { IdentityService } from '../../../gen/lrs/v1/identity_pb.js'
import { OperatorService } from '../../../gen/lrs/v1/operator_pb.js'
import { RelayService } from '../../../gen/lrs/v1/relay_pb.js'
import {
  account,
  audited,
  credential,
  erasure,
  game,
  numberOf,
  ofGame,
  reads,
  scopes,
  studio,
  traffic,
} from '../services/audit-entries.ts'

/** What is kept of the operation: credentials, cells, audit log, health. */
export const ofOperation = [
  ...audited(Health, { check: reads, list: reads, watch: reads }),
  ...audited(ServerReflection, { serverReflectionInfo: reads }),
  ...audited(ServerReflectionAlpha, { serverReflectionInfo: reads }),
  ...audited(RelayService, { exchange: traffic }),
  ...audited(CellService, {
    listCells: reads,
    listCellGames: reads,
    listMisplaced: reads,
    addCell: { action: 'cell.add', details: ({ server }, added) => ({ cell: added?.number, server: added && server }) },
    openCell: { action: 'cell.open', details: ({ cell, open }) => ({ cell, open }) },
    bringBack: {
      ...ofGame('game.bring-back'),
      details: ({ foundCell, foundServer, discard }, done) => ({
        cell: foundCell,
        server: done && foundServer,
        discard,
        returned: done?.returned,
      }),
      unless: ({ preview }) => preview,
    },
    moveGame: { ...ofGame('game.move'), details: ({ cell }, moved) => ({ cell, from: moved?.from }) },
  }),
  ...audited(IdentityService, {
    createGame: { action: 'game.create', subject: (_, made) => made && game(made) },
    issueCredential: { ...ofGame('credential.issue'), details: scopes },
    rotateCredential: { action: 'credential.rotate', subject: credential },
    revokeCredential: { action: 'credential.revoke', subject: credential },
    mintLaunchToken: { action: 'credential.mint-launch-token', subject: credential },
    inspectLaunchToken: reads,
    endSessions: { action: 'learner.end-sessions', details: (_, done) => ({ sessions: done?.ended }) },
  }),
  ...audited(AdminService, {
    listCredentials: reads,
    setScopes: { action: 'credential.set-scopes', subject: credential, details: scopes },
    getStatus: reads,
    check: reads,
    // the log names no learner: neither those whose data was exported nor those who were erased
    exportLearner: { action: 'learner.export' },
    eraseLearner: erasure,
    shareNames: { action: 'store.share-names' },
    sealSecrets: { action: 'store.seal-secrets' },
    importStatements: {
      action: 'statements.import',
      details: (_, done) => ({ stored: numberOf(done?.stored), skipped: numberOf(done?.skipped) }),
    },
  }),
  ...audited(OperatorService, {
    findStudios: reads,
    getStudio: reads,
    suspendStudio: {
      action: 'studio.suspend',
      subject: studio,
      details: ({ suspended }) => ({ suspended }),
    },
    findAccounts: reads,
    suspendAccount: {
      action: 'account.suspend',
      subject: ({ accountId }) => ({ kind: 'account', id: accountId }),
      details: ({ suspended }) => ({ suspended }),
    },
    endAccountSessions: {
      action: 'account.end-sessions',
      subject: ({ accountId }) => ({ kind: 'account', id: accountId }),
      details: (_, done) => ({ sessions: done?.sessions }),
    },
    setAdmin: { action: 'account.set-admin', subject: account, details: ({ admin }) => ({ admin }) },
    getStorage: reads,
    listJobs: reads,
    findForwards: reads,
  }),
  ...audited(AuditService, { listOwnEntries: reads, listEntries: reads, checkEntries: reads }),
]
