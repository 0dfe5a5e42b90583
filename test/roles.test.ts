import { randomUUID } from 'node:crypto'
import type { DescMethod } from '@bufbuild/protobuf'
import { ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FailureSchema, Reason } from '../gen/lrs/v1/failure_pb.js'
import { hashSecret, newSecret } from '../core/process/secret.ts'
import { declaredOf } from '../core/rpc/services/services.ts'
import { contract, leastMessage } from './support/contract.ts'
import { addStudio, stageBuild, type Studio } from './support/studios.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'

const methods = contract
  .flatMap(({ methods }) => methods)
  .filter((method) => declaredOf(method)!.who.includes('portal'))
const people = ['stranger', 'analyst', 'developer', 'owner', 'observer', 'teacher', 'reviewer', 'admin'] as const
type Who = (typeof people)[number]

/** What each of them may call of what not every account may. */
const reads = [
  'FindLearners GetLearner ListLearnerSessions ListClientVersions GetLearnerDocument ExportGameLearner ListErasureRequests',
  'ListGames GetInsights GetAnswers GetUsage ListCompletables ListProgress ListReachables ListAlternatives ' +
    'ListTargets ListOwnReservations CreateToken ListTokens RevokeToken GetStatement QueryStatements ' +
    'Follow ListMembers',
  'ListClasses GetClass ListDevices',
  'ListWebhooks GetWebhook GetDelivery',
  'ListBuilds GetCounting ListViews GetAlerts SetWeeklyMail',
  'ListForwards GetForward ListGameDocuments GetGameDocument',
  'ListGameDays ExportStatements CountExport StartExport ListExports GetExport CancelExport',
  'BeginCall ListHelpNeeded',
].flatMap((line) => line.split(' '))
const tries = 'ListTestLearners OpenSandbox GetSandbox Observe GetDownload'.split(' ')
const makes = [
  'UpdateStudio RemoveLogo ListMessages DeleteMessage DeleteMessages DiscardProfileChanges CreateGame UpdateGame',
  'DeleteGame DescribeFile MoveFile RemoveFile SubmitForReview Withdraw RevealSecret RotateSecret DiscardChanges',
  'RequestUpload CompareFiles ResumeUpload FinalizeUpload CancelUpload ListUploads CreateInvitation ListInvitations ' +
    'RevokeInvitation EndDevice',
  'AddForward ChangeForward TestForward PauseForward SendAgain RetrySetAside RemoveForward',
  'GetRetention PreviewRetention SetRetention PutGameDocument DeleteGameDocument',
  'AddWebhook ChangeWebhook RotateWebhookSecret TestWebhook PauseWebhook RepeatDelivery RemoveWebhook',
  'CreateClass AddToClass RenewLinks EndClass HandOverClass RestoreClass RestoreInvitation SetPlayer SetGameText',
  'Promote RollBack SetBetaLink SaveView RenameView DeleteView SetAlerts',
].flatMap((line) => line.split(' '))
const owns = [
  'PreviewDeletion StartDeletion ListDeletions ListDeletedIds',
  'EraseGameLearner DecideErasure InviteMember RevokeMemberInvitation SetMemberRole RemoveMember HandOver ' +
    'DeleteStudio KeepStudio ListOwnEntries SetZone SetStart SetCut',
  'AddPlatform ChangePlatform RemovePlatform StartRegistration TestPlatform',
].flatMap((line) => line.split(' '))
const reviews = 'DecideProfile ListReviews DecideReview'.split(' ')
const observes = [
  'ListMembers CreateToken ListTokens RevokeToken ListSchoolClasses GetSchoolClass ListLessons GetBoard',
  'GetReport GetSittingReport GetConsentRule ListConsents ListPlatforms',
].flatMap((line) => line.split(' '))
const teaches = [
  'CreateSchoolClass AddPupils ChangePupil RemovePupil RenewCards RemoveSchoolClass TakeOverClass',
  'OpenLesson ChangeLesson LetIn TurnAway EndLesson MakeParentLinks NoteConsent ListLtiRefusals GetLtiCourse TakeLtiMembers',
  'ListLtiGrades SendLtiGrade',
].flatMap((line) => line.split(' '))
const operates = [
  'SetReviewer SetTrusted GetStudioUsage SetQuota GetStatus Check FindStudios GetStudio SuspendStudio FindAccounts',
  'SuspendAccount EndAccountSessions GetStorage ListJobs FindForwards AllowStudios ListMails RetryMails ListEntries CheckEntries',
  'ListGameReports CloseGameReport',
].flatMap((line) => line.split(' '))
const may: Record<Who, readonly string[]> = {
  stranger: [],
  analyst: reads,
  developer: [...reads, ...tries, ...makes],
  owner: [...reads, ...tries, ...makes, ...owns],
  observer: observes,
  teacher: [...observes, ...teaches],
  reviewer: [...tries, ...reviews],
  admin: operates,
}
/** Only owners of a school may call them: test/lessons.test.ts, test/schools.test.ts. */
const ofSchoolOwners = ['ReadRoster', 'ConfirmRoster', 'SetConsentRule']
const limited = new Set([...Object.values(may).flat(), ...ofSchoolOwners])

let system: System
let sessionManager: Http2SessionManager
let owner: Studio
let gameId: string
const sessions = {} as Record<Who, string>
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
  sessionManager = new Http2SessionManager(`http://127.0.0.1:${system.cores[0]!.port}`)
  owner = await addStudio(system, 'Blue Fox')
  sessions.owner = owner.session
  const [school] = await system.database.sql<{ id: number }>(
    `insert into studio (name, slug, kind) values ('Hill School', 'hill-school', 'school') returning id`,
  )
  for (const who of people) {
    if (who === 'owner') continue
    const isMember = ['analyst', 'developer', 'observer', 'teacher'].includes(who)
    const at = ['observer', 'teacher'].includes(who) ? school!.id : owner.id
    sessions[who] = newSecret()
    await system.database.sql(
      `with a as (insert into account (email, reviewer, admin) values ($1, $1 = 'reviewer', $1 = 'admin') returning id),
        m as (insert into member (studio, account, role) select $2, id, $1 from a where $2::int is not null)
      insert into studio_session (hash, account, studio, expires)
      select $3, id, $2::int, now() + interval '1 hour' from a`,
      [who, isMember ? at : null, hashSecret(sessions[who])],
    )
  }
  gameId = (await owner.on().games.createGame({ name: 'Quiz' })).gameId
  await stageBuild(system, gameId)
})
afterAll(() => {
  sessionManager.abort()
  return system.close()
})

/** Whether core refuses the method for what the account is; messages name nothing that there is. */
async function isForbidden(method: DescMethod, who: Who): Promise<boolean> {
  const headers = { authorization: bearer(tokens.portal), 'x-lrs-session': sessions[who] }
  const transport = createGrpcTransport({
    baseUrl: sessionManager.authority,
    sessionManager,
    interceptors: [
      (next) => (request) => {
        for (const [name, value] of Object.entries(headers)) request.header.set(name, value)
        if (method.parent.name === 'StatementService') request.header.set('x-lrs-credential', 'no-such-key')
        return next(request)
      },
    ],
  })
  const call = (createClient(method.parent, transport) as Record<string, (...parameters: unknown[]) => unknown>)[
    method.localName
  ]!
  try {
    const answer = call(leastMessage(method, randomUUID()), { timeoutMs: 60_000 })
    if (method.methodKind === 'server_streaming') for await (const _ of answer as AsyncIterable<unknown>) break
    else await answer
    return false
  } catch (error) {
    const [failure] = ConnectError.from(error).findDetails(FailureSchema)
    if (!failure) throw error
    expect(failure.reason, failure.message).not.toBe(Reason.INTERNAL)
    return failure.reason === Reason.FORBIDDEN
  }
}
/** They would end what this test needs; each has its own below. */
const ending = new Set(['SignOut', 'SignOutEverywhere', 'LeaveStudio', 'OpenStudio'])

test.each(people)('%s may call what the table says, and nothing else', async (who) => {
  const found = await Promise.all(
    methods
      .filter(({ name }) => !ending.has(name))
      .map(async (method) => [method.name, await isForbidden(method, who)] as const),
  )
  const refused = found.filter(([, isRefused]) => isRefused).map(([name]) => name)
  const expected = found.map(([name]) => name).filter((name) => limited.has(name) && !may[who].includes(name))
  expect(refused.toSorted()).toEqual(expected.toSorted())
})

test('every method that a session may call is in the table, no other', () => {
  for (const method of contract.flatMap(({ methods }) => methods)) {
    if (!method.parent.typeName.startsWith('lrs.v1.')) continue
    const isOpen = declaredOf(method)!.who.some((who) => who === 'portal' || who === 'anybody')
    expect(declaredOf(method)!.right !== 'none', method.name).toBe(isOpen)
  }
})

test('what an analyst sees of a game offers no action', async () => {
  const as = (who: Who) => system.connections[0]!.as(bearer(tokens.portal), { 'x-lrs-session': sessions[who] })
  expect((await as('analyst').games.getGame({ gameId })).game!.allowed).toEqual([])
  expect((await as('developer').games.getGame({ gameId })).game!.allowed).toContain('upload')
})

test('a reviewer cannot decide on a game of a studio to which it belongs, whatever studio it works for', async () => {
  await owner.on().games.updateGame({ gameId, name: 'Quiz', summary: 'A quiz.', description: '' })
  await owner.on().games.submitForReview({ gameId, message: '' })
  await system.database.sql(
    `insert into member (studio, account, role) select $1, id, 'analyst' from account where email = 'reviewer'`,
    [owner.id],
  )
  const { games } = system.connections[0]!.as(bearer(tokens.portal), { 'x-lrs-session': sessions.reviewer })
  const { game } = await games.getGame({ gameId })
  const decision = { gameId, buildId: game!.staged!.buildId, approved: true, note: '' }
  await expect(games.decideReview(decision)).rejects.toThrow('cannot review its own games')
})
