import type { DescService } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DeletionService } from '../gen/lrs/v1/deletions_pb.js'
import { DeviceService } from '../gen/lrs/v1/devices_pb.js'
import { ExportService } from '../gen/lrs/v1/exports_pb.js'
import { FailureSchema, Reason } from '../gen/lrs/v1/failure_pb.js'
import { ClassService } from '../gen/lrs/v1/classes_pb.js'
import { ForwardService } from '../gen/lrs/v1/forwards_pb.js'
import { GameDocumentService } from '../gen/lrs/v1/game_documents_pb.js'
import { GameService } from '../gen/lrs/v1/games_pb.js'
import { AnswerService } from '../gen/lrs/v1/answers_pb.js'
import { SeriousGamesService } from '../gen/lrs/v1/serious_games_pb.js'
import { InsightService } from '../gen/lrs/v1/insights_pb.js'
import { LearnerService } from '../gen/lrs/v1/learners_pb.js'
import { OwnDataService } from '../gen/lrs/v1/own_data_pb.js'
import { LaunchService } from '../gen/lrs/v1/launches_pb.js'
import { BuildService } from '../gen/lrs/v1/builds_pb.js'
import { CountingService } from '../gen/lrs/v1/counting_pb.js'
import { WatchingService } from '../gen/lrs/v1/watching_pb.js'
import { RetentionService } from '../gen/lrs/v1/retention_pb.js'
import { WebhookService } from '../gen/lrs/v1/webhooks_pb.js'
import { UploadKind, UploadService } from '../gen/lrs/v1/uploads_pb.js'
import type { CoreClient } from './support/core-client.ts'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import type { Studio } from './support/studios.ts'
import { rawZip } from './support/zip.ts'

let system: PortalSystem
let owner: Studio
let stranger: Studio
/** What the methods of a studio are asked with: ids of the owner, by the names of the fields. */
let ids: Record<string, unknown>

beforeAll(async () => {
  system = await startPortalSystem()
  owner = await system.studio('Blue Fox')
  stranger = await system.studio('Owl')
  const { games, uploads, launches, classes } = owner.on()
  const { gameId, slug } = await system.publish(owner, 'Quiz')
  const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000040000000400806000000', 'hex')
  const fileId = await system.upload(owner, UploadKind.GALLERY_IMAGE, 'cover.png', png, gameId)
  await system.upload(owner, UploadKind.BROWSER_BUILD, 'quiz.zip', rawZip([{ name: 'index.html' }]), gameId)
  const { upload } = await uploads.requestUpload({
    gameId,
    kind: UploadKind.GALLERY_IMAGE,
    fileName: 'other.png',
    size: 100n,
  })
  const { launch } = await launches.openSandbox({ gameId, learnerName: 'Ann' })
  await launches.createInvitation({ gameId, learnerName: 'Ben' })
  const { invitations } = await launches.listInvitations({ gameId })
  const { classId } = await classes.createClass({ gameId, name: '4b', nicknames: 2 })
  const { learners } = await launches.listTestLearners({ gameId })
  const { game } = await games.getGame({ gameId })
  const { export: asked } = await owner.on().exports.startExport({ gameId })
  const hook = { url: 'http://127.0.0.1:9/hooks', events: ['review.approved'] }
  const { webhook } = await owner.on().webhooks.addWebhook({ gameId, settings: hook })
  const { webhookId } = webhook!
  const { deliveryId } = await owner.on().webhooks.testWebhook({ webhookId })
  const { viewId } = await owner.on().watching.saveView({ gameId, name: 'Three months', query: 'days=90' })
  const settings = { gameId, documentId: 'settings', content: Buffer.from('{}'), contentType: 'application/json' }
  await owner.on().gameDocuments.putGameDocument(settings)
  const target = { name: 'Partner', endpoint: 'https://lrs.example/xapi', version: '1.0.3' }
  const { forward } = await owner.on().forwards.addForward({ gameId, settings: target })
  const [{ tenant }] = (await system.database.sql<{ tenant: number }>('select id as tenant from game where uuid = $1', [
    gameId,
  ])) as [{ tenant: number }]
  const [{ deviceId }] = (await system.database.sql<{ deviceId: string }>(
    `insert into device (game, learner, secret_hash) select game, uuid, '\\x00' from learner where kind = 'invited' limit 1
      returning uuid as "deviceId"`,
    [],
  )) as [{ deviceId: string }]
  const deletion = { game: tenant, accountId: undefined, reason: 'a test' }
  const deletionId = await system.cores[0]!.store.deletions.add({
    ...deletion,
    statements: [{ id: crypto.randomUUID(), stored: 1 }],
  })
  await system.database.sql(
    `insert into forward_erasure (forward, deletion, statements)
      select f.id, d.id, 1 from forward f, deletion d where f.uuid = $1 and d.uuid = $2`,
    [forward!.forwardId, deletionId],
  )
  ids = {
    gameId,
    gameIds: [gameId],
    webhookId,
    viewId,
    deliveryId,
    forwardId: forward!.forwardId,
    settings: { ...hook, ...target },
    since: '2026-01-01T00:00:00Z',
    exportId: asked!.exportId,
    deletionId,
    of: { gameId, ids: [crypto.randomUUID()] },
    through: 1n,
    statements: 1,
    reason: 'Taken over',
    slug,
    fileId,
    uploadId: upload!.uploadId,
    sessionId: launch!.sessionId,
    invitationId: invitations[0]!.invitationId,
    invitationIds: [invitations[0]!.invitationId],
    classId,
    nicknames: 1,
    learnerId: learners[0]!.learnerId,
    deviceId,
    buildId: game!.staged!.buildId,
    fromBuildId: game!.staged!.buildId,
    game: gameId,
    name: 'Taken over',
    text: 'Taken over',
    texts: { language: 'de' },
    title: 'Taken over',
    learnerName: 'Eve',
    kind: UploadKind.GALLERY_IMAGE,
    fileName: 'a.png',
    size: 100n,
    noFollow: true,
    agent: launch!.actor,
    requestId: crypto.randomUUID(),
    sandbox: true,
    from: '2026-11-01',
    to: '2026-11-02',
    activityId: 'https://a.example/level-1',
    documentId: 'settings',
  }
})
afterAll(() => system.close())

/** Whatever is public, or names nothing of anybody; uploads are listed below. */
const open = new Set([
  'CreateGame',
  'ListGames',
  'ListPublishedGames',
  'GetPublishedGame',
  'ReportGame',
  'ListPackagingRules',
  'GetInvitation',
  'StartPlay',
  'GetBeta',
  'StartBeta',
  'GetLaunch',
  'GetResult',
  'EndLaunch',
  'CheckFiles',
  'ListUploads',
  'AskCode',
  'GetCode',
  'AllowDevice',
  'DenyDevice',
  'MakeLink',
  'StartOnDevice',
  'ListOwnDevices',
  'EndOwnDevice',
  'GetOwnData',
  'ExportOwnData',
  'AskErasure',
  'TakeBackErasure',
])
const services: [DescService, keyof CoreClient][] = [
  [GameService, 'games'],
  [GameDocumentService, 'gameDocuments'],
  [UploadService, 'uploads'],
  [LaunchService, 'launches'],
  [DeviceService, 'devices'],
  [ClassService, 'classes'],
  [RetentionService, 'retention'],
  [CountingService, 'counting'],
  [WatchingService, 'watching'],
  [BuildService, 'builds'],
  [WebhookService, 'webhooks'],
  [InsightService, 'insights'],
  [LearnerService, 'learners'],
  [OwnDataService, 'ownData'],
  [AnswerService, 'answers'],
  [SeriousGamesService, 'seriousGames'],
  [ExportService, 'exports'],
  [DeletionService, 'deletions'],
  [ForwardService, 'forwards'],
]
const methods = services.flatMap(([service, client]) =>
  service.methods.filter(({ name }) => !open.has(name)).map((method) => [method.name, method, client] as const),
)

/** Why the call is refused; undefined: it is not. */
async function reasonOf(
  client: object,
  { localName, methodKind, input }: (typeof methods)[number][1],
): Promise<string | undefined> {
  const message = Object.fromEntries(
    input.fields.flatMap((field) =>
      ids[field.localName] === undefined ? [] : [[field.localName, ids[field.localName]]],
    ),
  )
  try {
    const answer = (client as Record<string, (message: object, options: object) => unknown>)[localName]!(message, {
      timeoutMs: 60_000,
    })
    if (methodKind === 'server_streaming') for await (const _ of answer as AsyncIterable<unknown>) break
    else await answer
    return undefined
  } catch (error) {
    const [failure] = ConnectError.from(error).findDetails(FailureSchema)
    if (!failure) throw error
    return Reason[failure.reason]
  }
}

test.each(methods)('%s of another studio is not found', async (name, method, client) => {
  const before = await system.database.sql('select * from game where studio = $1', [owner.id])
  expect(await reasonOf(stranger.on()[client], method), name).toBe(
    /^(?:ListReviews|DecideReview)$/.test(name) ? 'FORBIDDEN' : 'NOT_FOUND',
  )
  expect(await system.database.sql('select * from game where studio = $1', [owner.id])).toEqual(before)
})

test('the owner finds what was asked for: the ids are right', async () => {
  // test/player-serves-what-is-open.test.ts has a package to download
  const others = ['ListReviews', 'GetLearnerDocument', 'GetDownload']
  const reading = methods.filter(([name]) => /^(?:Get|List|Observe|Resume)/.test(name) && !others.includes(name))
  expect(reading.length).toBeGreaterThanOrEqual(7)
  for (const [name, method, client] of reading) expect(await reasonOf(owner.on()[client], method), name).toBeUndefined()
  const gameId = String(ids['gameId'])
  expect((await owner.on().uploads.listUploads({ gameId })).uploads).toHaveLength(1)
  expect((await stranger.on().uploads.listUploads({ gameId })).uploads).toEqual([])
  expect((await stranger.on().games.listGames({})).games).toEqual([])
})
