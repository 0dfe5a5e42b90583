import { randomUUID } from 'node:crypto'
import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect'
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FailureSchema, Reason } from '../gen/lrs/v1/failure_pb.js'
import { RelayService } from '../gen/lrs/v1/relay_pb.js'
import type { Who } from '../core/process/methods/declaration.ts'
import { declaredOf } from '../core/rpc/services/services.ts'
import { contract, leastMessage } from './support/contract.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { player } from './support/statements.ts'
import { bearer } from './support/xapi.ts'

let system: System
let key: string
const serviceTokens = new Set(Object.values(tokens).map(bearer))
const shown: Record<string, string> = {
  nobody: '',
  ...Object.fromEntries(Object.entries(tokens).map(([role, token]) => [role, bearer(token)])),
}
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
  const game = await system.game()
  key = game.key
  Object.assign(shown, {
    game: game.authorization,
    learner: await game.launch(player('ann')),
    forged: bearer('x'.repeat(43)),
  })
})
afterAll(async () => {
  for (const one of Object.values(connections)) one.abort()
  await system.close()
})

const services = contract
const whoMayCall = (method: DescMethod): readonly Who[] => declaredOf(method)?.who ?? []
const methods = services.flatMap(({ methods }) => methods)
const methodsOf = (who: Who) =>
  methods.filter((method) => whoMayCall(method).includes(who)).map(({ parent, name }) => `${parent.name}/${name}`)

const someId = randomUUID()

/** Calls a method with as little as it takes; why it was refused. */
async function refusalOf(service: DescService, method: DescMethod, authorization: string): Promise<string> {
  const { localName, methodKind } = method
  const authorize: Interceptor = (next) => (request) => {
    if (authorization !== '') request.header.set('authorization', authorization)
    if (serviceTokens.has(authorization)) request.header.set('x-lrs-credential', key)
    return next(request)
  }
  const isStranger = authorization === '' || authorization === shown['forged']
  const sessionManager = isStranger ? connection() : (connections[authorization] ??= connection())
  const transport = createGrpcTransport({
    baseUrl: sessionManager.authority,
    sessionManager,
    interceptors: [authorize],
  })
  const call = (createClient(service, transport) as Record<string, (...parameters: unknown[]) => unknown>)[localName]!
  const stop = new AbortController()
  // a stream that says nothing was let in
  const options = { signal: stop.signal, timeoutMs: methodKind === 'server_streaming' ? 3_000 : 30_000 }
  try {
    const message = leastMessage(method, someId)
    const answer = call(
      /^(?:client|bidi)_streaming$/.test(methodKind)
        ? (async function* () {
            yield message
          })()
        : message,
      options,
    )
    if (/^(?:server|bidi)_streaming$/.test(methodKind)) for await (const _ of answer as AsyncIterable<unknown>) break
    else await answer
    return ''
  } catch (error) {
    const told = ConnectError.from(error)
    const [failure] = told.findDetails(FailureSchema)
    if (!failure && !(methodKind === 'server_streaming' && told.code === Code.DeadlineExceeded)) throw error
    return failure && [Reason.UNAUTHENTICATED, Reason.FORBIDDEN].includes(failure.reason) ? failure.message : ''
  } finally {
    stop.abort()
    if (isStranger) sessionManager.abort()
  }
}

const connection = () => new Http2SessionManager(`http://127.0.0.1:${system.cores[0]!.port}`)
/** Of callers whom core knows. A stranger has one for each call: core closes one on which strangers call often. */
const connections: Record<string, Http2SessionManager> = {}

/** Past the door: nothing but a studio's session is missing. */
const isInside = (refusal: string): boolean => refusal === '' || refusal.startsWith('Sign in first')

const served = services.filter(({ typeName }) => typeName.startsWith('lrs.v1.') && typeName !== RelayService.typeName)

test.each(served.map((service) => [service.typeName, service] as const))(
  '%s lets in who is declared beside its handlers, and nobody else',

  async (_name, service) => {
    for (const method of service.methods) {
      const allowed = whoMayCall(method).flatMap((who) =>
        who === 'anybody' ? Object.keys(shown) : who === 'game' ? ['game', 'learner'] : [who],
      )
      const found = await Promise.all(
        Object.entries(shown).map(
          async ([who, authorization]) => [who, isInside(await refusalOf(service, method, authorization))] as const,
        ),
      )
      const inside = found.filter(([, isIn]) => isIn).map(([who]) => who)
      expect(inside.toSorted(), method.name).toEqual(allowed.toSorted())
    }
  },
)

test('every method of the contract is declared', () => {
  expect(services.length).toBeGreaterThanOrEqual(15)
  for (const method of methods) expect(whoMayCall(method), `${method.parent.typeName}/${method.name}`).not.toEqual([])
})

test('roles that face the internet have only methods that they need', () => {
  expect(methodsOf('anybody')).toEqual([
    'Health/Check',
    'Health/Watch',
    'Health/List',
    'ServerReflection/ServerReflectionInfo',
    'ServerReflection/ServerReflectionInfo',
    'QuotaService/ListLimits',
  ])
  expect(methodsOf('gateway')).toEqual(['RelayService/Exchange'])
  expect(methodsOf('player')).toEqual(['LaunchService/GetLaunch', 'LaunchService/CheckFiles'])
  const ofGames = methodsOf('game')
  expect(methodsOf('service')).toEqual(expect.arrayContaining(ofGames))
  expect(methodsOf('service').filter((name) => !ofGames.includes(name))).toEqual(['AdminService/ImportStatements'])
  expect(methodsOf('portal').filter((name) => ofGames.includes(name))).toEqual([
    'StatementService/GetStatement',
    'StatementService/QueryStatements',
    'StatementService/Follow',
  ])
  expect(methodsOf('portal').filter((name) => /^(?:Admin|Identity|Relay)/.test(name))).toEqual([
    'AdminService/GetStatus',
    'AdminService/Check',
  ])
})

test('without a session the portal reaches public data only', async () => {
  const open: string[] = []
  for (const method of methods.filter((method) => whoMayCall(method).includes('portal'))) {
    if (!(await refusalOf(method.parent, method, bearer(tokens.portal))).startsWith('Sign in first'))
      open.push(method.name)
  }
  expect(open.toSorted()).toEqual([
    'AllowDevice',
    'AskCode',
    'AskErasure',
    'BeginPasskeySignIn',
    'ConfirmSignUp',
    'ContactStudio',
    'CreateChallenge',
    'DenyDevice',
    'EndLaunch',
    'EndOwnDevice',
    'EndWeeklyMail',
    'ExportOwnData',
    'FinishProviderSignIn',
    'FinishSignIn',
    'GetBeta',
    'GetCode',
    'GetInvitation',
    'GetLaunch',
    'GetLink',
    'GetLtiFrame',
    'GetLtiKeys',
    'GetMail',
    'GetMemberInvitation',
    'GetOwnData',
    'GetParentConsent',
    'GetPublicStudio',
    'GetPublishedGame',
    'GetResult',
    'GetSeat',
    'GiveParentConsent',
    'JoinByCard',
    'JoinLesson',
    'LaunchLti',
    'LeaveSeat',
    'ListLtiLevels',
    'ListOwnDevices',
    'ListPackagingRules',
    'ListPublishedGames',
    'ListSignInProviders',
    'LocateFile',
    'MakeLink',
    'NameSeat',
    'PickLtiLink',
    'RegisterPlatform',
    'ReportGame',
    'SendReset',
    'SignIn',
    'SignInWithPasskey',
    'SignUp',
    'StartBeta',
    'StartLtiLogin',
    'StartLtiPlay',
    'StartOnDevice',
    'StartPlay',
    'StartProviderSignIn',
    'StartSeat',
    'TakeBackErasure',
    'UseAddressLink',
    'UsePasswordLink',
    'WithdrawParentConsent',
  ])
})

test('the relay takes gateways only', async () => {
  for (const [who, authorization] of Object.entries(shown)) {
    const transport = createGrpcTransport({
      baseUrl: `http://127.0.0.1:${system.cores[0]!.relayPort}`,
      interceptors: [
        (next) => (request) => (
          authorization !== '' && request.header.set('authorization', authorization),
          next(request)
        ),
      ],
    })
    const answers = createClient(RelayService, transport).exchange((async function* () {})())
    const ended = (async () => {
      for await (const _ of answers) return 'answered'
    })().then(
      () => 'ended',
      (error) => Code[ConnectError.from(error).code],
    )
    expect(await ended, who).toBe(who === 'gateway' ? 'ended' : 'Unauthenticated')
  }
})
