import { loadavg } from 'node:os'
import { Registry } from 'prom-client'
import { UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { serveMetrics } from '../../shared/metrics/serve.ts'
import type { PortalSystem } from '../support/portal.ts'
import { activity, player } from '../support/statements.ts'
import { bearer } from '../support/xapi.ts'
import { random, type Random } from '../torture/random.ts'
import { callsOf } from './calls.ts'
import { pagesOf, type Grant } from './pages.ts'
import { restOf } from './rest.ts'
import type { Answer, Shot } from './shot.ts'
import { wireOf } from './wire.ts'
import { startWitness } from './witness.ts'

export interface FuzzOptions {
  readonly seed: number
  readonly requests: number
  /** Milliseconds after which a request hangs, without those in which the machine stood still. */
  readonly hang: number
  readonly say?: (line: string) => void
}

export interface Findings {
  /** Requests by status, those over RPC, of pages and of bare bytes apart; `late`: the machine stood still. */
  readonly statuses: Record<string, number>
  /** Bodies that were accepted and read again. */
  readonly readAgain: number
  /** Each is a bug: what was sent, and what came of it. */
  readonly failures: string[]
}

const atOnce = 8
/** Milliseconds for which a stream is looked at. */
const streamMs = 300
/** So many milliseconds more than a hang are waited, to tell how long it was. */
const patience = 10_000

/** Sends requests that a seed draws to every route and every method, and looks at what comes of them. */
export async function fuzz(
  system: PortalSystem,
  { seed, requests, hang, say = () => {} }: FuzzOptions,
): Promise<Findings> {
  const draw = random(seed)
  const statuses: Record<string, number> = {}
  const failures: string[] = []
  let readAgain = 0
  const count = (kind: string) => void (statuses[kind] = (statuses[kind] ?? 0) + 1)
  const { shotOf, close } = await generators(system, () => readAgain++)
  const witness = await startWitness()

  async function shoot(shot: Shot): Promise<void> {
    const began = witness.now()
    const answer = await shot
      .send(AbortSignal.timeout(shot.streams ? streamMs : hang + patience))
      .catch((error: Error) => error)
    const ended = witness.now()
    const fail = (what: string) => void failures.push(`${what} after ${shot.name()}`)
    const isOver = answer instanceof Error && answer.name === 'TimeoutError'
    if (isOver && shot.streams) return count('stream')
    if (ended - began > hang) {
      const still = witness.stoodStill(began, ended)
      const machine = `in which the machine stood still for ${Math.round(still)} ms (load ${loadavg()[0]!.toFixed(1)}),`
      if (ended - began - still <= hang) {
        count('late')
        say(`late: ${Math.round(ended - began)} ms, ${machine} after ${shot.name().slice(0, 100)}`)
      } else fail(`${isOver ? 'no answer within' : 'an answer after'} ${Math.round(ended - began)} ms, ${machine}`)
    }
    if (isOver) return
    if (answer instanceof Error) return fail(`${String(answer)} ${String(answer.cause ?? '')}`)
    count(`${shot.kind}${answer.status}`)
    if (isFault(answer, shot)) fail(`${answer.status} ${answer.text.slice(0, 300)}`)
    else if (answer.status < 300 && shot.again) {
      const wrong = await shot.again(answer.text)
      if (wrong !== undefined) fail(wrong)
    }
  }

  const { error } = console
  console.error = (...said: unknown[]) => void failures.push(`on the console: ${said.map(String).join(' ')}`)
  try {
    let next = 0
    const lane = async (): Promise<void> => {
      for (let n = next++; n < requests; n = next++) {
        await shoot(shotOf(draw.fork(n)))
        if (n % 5_000 === 0 && n > 0) say(`${n} requests, ${readAgain} read again, ${failures.length} failures`)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, lane))
  } finally {
    console.error = error
    close()
    await witness.close()
  }
  failures.push(...system.errors.map((line) => `logged: ${line.slice(0, 1_000)}`))
  return { statuses, readAgain, failures }
}

/** Whether the answer blames us, where nobody asked for that. */
function isFault({ status, text }: Answer, { mayBe = [] }: Shot): boolean {
  // an upload or import without its end may have been cut by a proxy: whoever sent it is told to send it again
  if (/"message":"The (?:request|import) was cut off; send it again/.test(text)) return false
  return (status >= 500 && !mayBe.includes(status)) || /"code":"(?:internal|unknown|data_loss|unavailable)"/.test(text)
}

/** What draws requests, knowing what there is: a game with its session, a studio, a published build, uploads that wait for their parts. */
async function generators(
  system: PortalSystem,
  found: () => void,
): Promise<{ shotOf: (draw: Random) => Shot; close: () => void }> {
  const game = await system.game()
  const studio = await system.studio('Fuzz', { reviewer: true })
  const { gameId, slug } = await system.publish(studio, 'Fuzz')
  const { game: published } = await studio.on().games.getGame({ gameId })
  const { launch } = await studio.on().launches.openSandbox({ gameId })
  const [gateway, core] = [system.urls[0]!, `http://127.0.0.1:${system.cores[0]!.port}`]
  const { buildId } = published!.live!
  const { sessionId, sessionSecret } = launch!
  const texts = [
    '2026-11-21',
    'en',
    'quiz.zip',
    '192.0.2.1',
    'someone@example.org',
    'index.html',
    crypto.randomUUID(),
    game.id,
  ]
  const grants: Grant[] = []
  for (const size of [1, 1_000, 100_000]) {
    const { upload } = await studio
      .on()
      .uploads.requestUpload({ gameId, kind: UploadKind.GALLERY_IMAGE, fileName: 'shot.png', size: BigInt(size) })
    grants.push(...upload!.missing.map((part) => ({ url: part.url, size: Number(part.size) })))
    texts.push(upload!.uploadId)
  }
  const named = {
    gameId,
    buildId,
    slug,
    sessionId,
    sessionSecret,
    uploadId: texts.at(-1)!,
    session: sessionId,
    games: gameId,
    reviews: gameId,
    uploads: texts.at(-1)!,
    studios: studio.slug,
    agent: JSON.stringify(player('ann')),
    activity: activity('chess').id,
    activityId: activity('chess').id,
    email: 'someone@example.org',
    next: '/games',
  }
  const known = { named, texts: [...texts, ...Object.values(named)] }
  const rest = restOf({ url: gateway, authorizations: [game.authorization, bearer(launch!.token)], found })
  const calls = callsOf({
    url: core,
    relayUrl: `http://127.0.0.1:${system.cores[0]!.relayPort}`,
    authorization: game.authorization,
    session: studio.session,
    known,
  })
  const page = pagesOf(system, studio, known, grants)
  const registries = [system.gateways[0]!, system.portal, system.player].map(({ metrics }) => metrics)
  const metrics = await serveMetrics(Registry.merge(registries), { host: '127.0.0.1', port: 0 })
  const wire = wireOf({
    http1: [
      {
        url: gateway,
        paths: ['/xapi/statements', '/xapi/about', '/xapi/activities/state?stateId=x', '/healthz', '/readyz'],
      },
      {
        url: core,
        paths: [
          '/lrs.v1.StatementService/GetStatement',
          '/lrs.v1.StatementService/Follow',
          '/grpc.health.v1.Health/Check',
          '/',
        ],
      },
      {
        url: system.url,
        paths: [
          '/',
          '/sign-in',
          '/sign-up',
          '/public/portal.css',
          '/storage/uploads/x',
          `/g/${slug}`,
          '/healthz',
          ...grants.map((grant) => grant.url),
        ],
        headers: [],
      },
      {
        url: system.url,
        headers: [`Cookie: session=${studio.session}`, `Origin: ${system.url}`],
        paths: [
          '',
          '/credential',
          '/sandbox',
          `/sandbox/${sessionId}`,
          `/sandbox/${sessionId}/launch.json`,
          '/data',
          '/statements',
          '/invitations',
          '/upload',
        ].map((page) => `/games/${gameId}${page}`),
      },
      {
        url: system.url,
        paths: ['', '/game', '/launch.json', '/end'].map((page) => `/play/${slug}${page}`),
        headers: [`Origin: ${system.url}`],
      },
      { url: `http://127.0.0.1:${metrics.port}`, paths: ['/metrics'] },
      {
        url: system.gamesUrl,
        paths: [`/b/${buildId}/index.html`, `/b/${buildId}/launch.json`, '/b/x', '/'],
        headers: [`Authorization: Bearer ${sessionSecret}`],
      },
    ],
    http2: [system.cores[0]!.port, system.cores[0]!.relayPort],
    authorization: game.authorization,
  })
  const shotOf = (own: Random): Shot => {
    const which = own.next()
    return which < 0.4 ? rest(own) : which < 0.68 ? calls.draw(own) : which < 0.88 ? page(own) : wire(own)
  }
  return {
    shotOf,
    close() {
      calls.close()
      metrics.close()
    },
  }
}
