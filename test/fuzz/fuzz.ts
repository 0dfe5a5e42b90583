import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { AccountService } from '../../gen/lrs/v1/accounts_pb.js'
import { AdminService } from '../../gen/lrs/v1/admin_pb.js'
import { AttachmentService } from '../../gen/lrs/v1/attachments_pb.js'
import { DocumentService } from '../../gen/lrs/v1/documents_pb.js'
import { GameService } from '../../gen/lrs/v1/games_pb.js'
import { IdentityService } from '../../gen/lrs/v1/identity_pb.js'
import { InsightService } from '../../gen/lrs/v1/insights_pb.js'
import { LaunchService } from '../../gen/lrs/v1/launches_pb.js'
import { QuotaService } from '../../gen/lrs/v1/quotas_pb.js'
import { StatementService } from '../../gen/lrs/v1/statements_pb.js'
import { UploadService } from '../../gen/lrs/v1/uploads_pb.js'
import { activity, player } from '../support/statements.ts'
import type { PortalSystem } from '../support/portal.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'
import { random, type Random } from '../torture/random.ts'
import { pagesOf } from './pages.ts'
import { bytesOf, headerText, oddId, someMessage, someStatement, texts } from './values.ts'

export interface FuzzOptions {
  readonly seed: number
  readonly requests: number
  /** Milliseconds after which a request hangs. */
  readonly hang: number
  readonly say?: (line: string) => void
}

export interface Findings {
  /** Requests by status, those over RPC apart. */
  readonly statuses: Record<string, number>
  /** Bodies that were accepted and read again. */
  readonly readAgain: number
  /** Each is a bug: what was sent, and what came of it. */
  readonly failures: string[]
}

interface Shot {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: Buffer
  /** Streams may stay open. */
  readonly streams?: boolean
  /** What has to be there when this was accepted. */
  readonly again?: (answer: string) => Promise<string | undefined>
}

const services: readonly DescService[] = [
  AccountService, AdminService, AttachmentService, DocumentService, GameService, IdentityService, InsightService, LaunchService, QuotaService, StatementService, UploadService,
]
/** These end what all others need. */
const left = new Set(['EraseLearner', 'RotateSecret', 'RevokeCredential', 'SignOut', 'SignOutEverywhere', 'ChangePassword'])
const methods: readonly DescMethod[] = services.flatMap((service) => service.methods).filter(({ name }) => !left.has(name))
const resources = ['statements', 'statements', 'statements', 'activities/state', 'activities/profile', 'agents/profile', 'activities', 'agents', 'about', 'nothing']
const parameters = [
  'statementId', 'voidedStatementId', 'agent', 'verb', 'activity', 'registration', 'related_activities', 'related_agents', 'since', 'until', 'limit', 'format', 'attachments',
  'ascending', 'offset', 'activityId', 'stateId', 'profileId', 'method', 'x',
]
const atOnce = 8

/** Sends requests that a seed draws to every route and every method, and looks at what comes of them. */
export async function fuzz(system: PortalSystem, { seed, requests, hang, say = () => {} }: FuzzOptions): Promise<Findings> {
  const draw = random(seed)
  const game = await system.game()
  const studio = await system.studio('Fuzz', { reviewer: true })
  const { gameId, slug } = await system.publish(studio, 'Fuzz')
  const { game: published } = await studio.on().games.getGame({ gameId })
  const [gateway, core] = [system.urls[0]!, `http://127.0.0.1:${system.cores[0]!.port}`]
  const known = [gameId, game.id, JSON.stringify(player('ann')), activity('chess').id, crypto.randomUUID(), '2026-11-21', 'en', 'quiz.zip', '192.0.2.1', 'someone@example.org', slug, published!.live!.buildId, 'index.html']
  const page = pagesOf(system, studio, known)
  const statuses: Record<string, number> = {}
  const failures: string[] = []
  let readAgain = 0

  const usual = { authorization: game.authorization, 'x-experience-api-version': '1.0.3' }

  function rest(draw: Random): Shot {
    const resource = draw.of(resources)
    const method = draw.of(['GET', 'GET', 'POST', 'POST', 'POST', 'PUT', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'])
    const query = new URLSearchParams()
    // nobody else has it: what is put there stays
    const own = method === 'PUT' && draw.next() < 0.7 ? `own-${draw.between(0, 2 ** 31)}` : undefined
    const meant: Record<string, string> = {
      agent: JSON.stringify(player(own ?? 'ann')), activity: activity('chess').id, activityId: activity(own ?? 'chess').id, verb: 'https://games.example.org/verbs/played', limit: '10', stateId: own ?? 's', profileId: own ?? 'p',
      since: '2026-11-21T00:00:00Z', registration: crypto.randomUUID(), statementId: crypto.randomUUID(), ascending: 'true', attachments: 'true', format: 'ids',
    }
    const fitting = resource === 'statements' ? (method === 'GET' ? ['agent', 'verb', 'limit', 'since'] : method === 'PUT' ? ['statementId'] : [])
      : resource.endsWith('state') ? ['activityId', 'agent', 'stateId'] : resource === 'activities/profile' ? ['activityId', 'profileId']
      : resource === 'agents/profile' ? ['agent', 'profileId'] : resource === 'activities' ? ['activityId'] : resource === 'agents' ? ['agent'] : []
    for (const name of fitting) if (draw.next() < 0.9) query.append(name, draw.next() < 0.8 ? meant[name]! : texts(draw))
    if (draw.next() < 0.3) query.append(draw.of(parameters), texts(draw))
    const headers: Record<string, string> = { ...usual, 'content-type': draw.next() < 0.9 ? 'application/json' : headerText(draw) }
    if (draw.next() < 0.1) headers[draw.of(['authorization', 'x-experience-api-version', 'if-match', 'if-none-match', 'accept-language', 'content-encoding', 'x-request-id'])] = headerText(draw)
    if (draw.next() < 0.3) headers['x-experience-api-version'] = draw.of(['1.0.3', '1.0', '2.0.0', '2.0'])
    const takesBody = method === 'POST' || method === 'PUT'
    const value = draw.next() < 0.7 ? (method === 'PUT' ? someStatement(draw) : Array.from({ length: draw.between(0, 4) }, () => someStatement(draw))) : someStatement(draw)
    const body = takesBody ? bytesOf(draw, value) : undefined
    const url = `${gateway}/xapi/${resource}?${query}`
    return { url, method, headers, body, again: resource === 'statements' && method === 'POST' ? storedAgain(body!) : method === 'PUT' && resource.includes('/') ? documentAgain(url, body!, own !== undefined && url.includes(own)) : undefined }
  }

  const get = (url: string) => fetch(url, { headers: usual })

  /** Each statement that was accepted is there, with what was sent. */
  const storedAgain = (body: Buffer) => async (answer: string) => {
    const ids = JSON.parse(answer) as string[]
    const sent = JSON.parse(body.toString()) as object | object[]
    const list = (Array.isArray(sent) ? sent : [sent]) as Record<string, unknown>[]
    for (const [index, id] of ids.entries()) {
      // drawn before, and the first one stays
      if (id === oddId) continue
      const reply = await get(`${gateway}/xapi/statements?statementId=${id}`)
      if (reply.status !== 200) return `the statement ${id} is ${reply.status}`
      const found = (await reply.json()) as Record<string, unknown>
      for (const name of ['verb', 'object', 'result', 'context'] as const) {
        if (JSON.stringify(found[name]) !== JSON.stringify(list[index]![name])) return `${name} of ${id} is another: ${JSON.stringify(found[name])}`
      }
      readAgain++
    }
    return undefined
  }

  const documentAgain = (url: string, body: Buffer, isOwn: boolean) => async () => {
    const reply = await get(url)
    // somebody else may have deleted or replaced it since
    if (reply.status === 404 && !isOwn) return undefined
    const found = Buffer.from(await reply.arrayBuffer())
    readAgain++
    if (isOwn && !found.equals(body)) return `the document is another (${reply.status}): ${found.toString('latin1', 0, 300)}`
    return reply.status === 200 && (found.length > 0 || body.length === 0) ? undefined : `the document is ${reply.status}`
  }

  function rpc(draw: Random): Shot {
    const method = draw.of(methods)
    const unary = method.methodKind === 'unary'
    const json = Buffer.from(JSON.stringify(someMessage(draw, method.input, known)))
    const broken = draw.next() < 0.1
    const message = broken ? Buffer.from(Array.from({ length: draw.between(0, 60) }, () => draw.between(0, 255))) : json
    const type = broken && draw.next() < 0.5 ? 'proto' : 'json'
    const length = Buffer.alloc(5)
    length.writeUInt32BE(message.length, 1)
    const headers: Record<string, string> = { 'content-type': `application/${unary ? '' : 'connect+'}${type}`, 'connect-protocol-version': '1', 'x-experience-api-version': '1.0.3' }
    const who = draw.between(0, 5)
    if (who <= 1) headers['authorization'] = game.authorization
    else if (who <= 3) Object.assign(headers, { authorization: bearer(tokens.portal), 'x-lrs-session': studio.session })
    else headers['authorization'] = bearer(draw.of([tokens.admin, tokens.player, tokens.service, 'nobody']))
    return { url: `${core}/${method.parent.typeName}/${method.name}`, method: 'POST', headers, body: unary ? message : Buffer.concat([length, message]), streams: !unary }
  }

  /** A request that came late is sent once more: the machine may have been busy, what hangs does so again. */
  async function shoot(shot: Shot, isAgain = false): Promise<void> {
    const name = `${shot.method} ${shot.url.slice(0, 300)} ${shot.body?.toString('latin1').slice(0, 1_500) ?? ''} ${JSON.stringify(shot.headers)}`
    const began = performance.now()
    try {
      const reply = await fetch(shot.url, { method: shot.method, headers: shot.headers, body: shot.body as Uint8Array<ArrayBuffer> | undefined, redirect: 'manual', signal: AbortSignal.timeout(shot.streams ? 500 : hang) })
      const text = await reply.text()
      const kind = `${shot.url.startsWith(core) ? 'rpc ' : shot.url.startsWith(gateway) ? '' : 'page '}${reply.status}`
      statuses[kind] = (statuses[kind] ?? 0) + 1
      // an upload or import without its end may have been cut by a proxy: whoever sent it is told to send it again
      if (/"message":"The (?:request|import) was cut off; send it again/.test(text)) return
      if (reply.status >= 500 || /"code":"(internal|unknown|data_loss|unavailable)"/.test(text)) failures.push(`${reply.status} ${text.slice(0, 300)} after ${name}`)
      if (reply.status < 300 && shot.again) {
        const wrong = await shot.again(text)
        if (wrong !== undefined) failures.push(`${wrong} after ${name}`)
      }
    } catch (error) {
      if (shot.streams && (error as Error).name === 'TimeoutError') statuses['stream'] = (statuses['stream'] ?? 0) + 1
      else if (!isAgain && (error as Error).name === 'TimeoutError') {
        statuses['late'] = (statuses['late'] ?? 0) + 1
        await shoot(shot, true)
      } else failures.push(`${String(error)} ${String((error as Error).cause ?? '')} within ${Math.round(performance.now() - began)} ms after ${name}`)
    }
  }

  const shotOf = (own: Random): Shot => {
    const which = own.next()
    return which < 0.5 ? rest(own) : which < 0.75 ? rpc(own) : page(own)
  }

  for (let count = 0; count < requests; count += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, n) => draw.fork(count + n)).map((own) => shoot(shotOf(own))))
    if (count % 5_000 < atOnce && count > 0) say(`${count} requests, ${readAgain} read again, ${failures.length} failures`)
  }
  failures.push(...system.errors.map((line) => `logged: ${line.slice(0, 1_000)}`))
  return { statuses, readAgain, failures }
}
