import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../start/fixtures/launch.ts'
import { tracingSettings } from '../shared/settings/tracing-settings.ts'
import { startCollector, type Collector, type SentSpan } from './support/collector.ts'
import type { Game } from './support/games.ts'
import { startProcesses, type Processes } from './support/processes.ts'
import { statement } from './support/statements.ts'
import { tokens } from './support/system.ts'
import { bearer } from './support/xapi.ts'

const root = resolve(import.meta.dirname, '..')

describe('with a collector', () => {
  let collector: Collector
  let system: Processes
  let game: Game
  beforeAll(async () => {
    collector = await startCollector()
    system = await startProcesses({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '20',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      },
    })
    game = await system.game()
  })
  afterAll(async () => {
    await system.close()
    await collector.close()
  })

  /** The steps of the trace that begins in the gateway with this request, once all that are named have come. */
  async function traceOf(isFirst: (span: SentSpan) => boolean, ...names: string[]): Promise<SentSpan[]> {
    const found = () => {
      const first = collector.spans.find(isFirst)
      return first ? collector.spans.filter(({ trace }) => trace === first.trace) : []
    }
    await eventually(
      () => names.every((name) => found().some((span) => span.name === name)),
      () => `${names.join()} of ${JSON.stringify(found())}`,
    )
    return found()
  }

  test('one POST is one trace over gateway, core and database', async () => {
    expect((await game.xapi().post(statement())).status).toBe(200)
    let spans: SentSpan[] = []
    const way: SentSpan[] = []
    const told = async () => {
      spans = await traceOf(({ name }) => name === 'POST /xapi/statements', 'store_statements')
      way.length = 0
      for (
        let at = spans.find(({ name }) => name === 'store_statements');
        at !== undefined;
        at = spans.find(({ id }) => id === at?.parent)
      )
        way.unshift(at)
      return way.map(({ service, name, kind }) => [service, name, kind])
    }
    // each process sends its steps when they have ended
    await expect.poll(told).toEqual([
      ['games-lrs-gateway', 'POST /xapi/statements', 2],
      ['games-lrs-gateway', 'storeStatements', 3],
      ['games-lrs-core', 'storeStatements', 2],
      ['games-lrs-core', 'wait for commit', 1],
      ['games-lrs-core', 'commit group', 1],
      ['games-lrs-core', 'store_statements', 3],
    ])
    const [request, , , , group, query] = way
    expect(request!.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/xapi/statements',
      'http.response.status_code': 200,
    })
    expect(group!.attributes).toEqual({ 'lrs.group.requests': 1, 'lrs.group.statements': 1 })
    expect(query!.attributes).toEqual({ 'db.system.name': 'postgresql' })
    expect(spans.filter(({ failed }) => failed)).toEqual([])
    expect(query!.nanoseconds).toBeGreaterThan(0)
    expect(query!.nanoseconds).toBeLessThan(request!.nanoseconds)
  })

  test('the requests of a group are linked, each with the commit that it waited for', async () => {
    const before = collector.spans.length
    await Promise.all(Array.from({ length: 40 }, () => game.xapi().post(statement())))
    const all = () => collector.spans.slice(before)
    const requests = () => all().filter(({ name }) => name === 'wait for commit')
    const groups = () => all().filter(({ name }) => name === 'commit group')
    await eventually(
      () => requests().length === 40 && groups().reduce((sum, { links }) => sum + 1 + links.length, 0) === 40,
      () => `${requests().length} requests of 40`,
    )
    const many = groups().filter(({ links }) => links.length > 0)
    expect(many.length).toBeGreaterThan(0)
    for (const { id, trace, links, attributes } of many) {
      expect(attributes['lrs.group.requests']).toBe(links.length + 1)
      for (const link of links)
        expect(requests().find((request) => request.id === link.id)!.links).toEqual([{ trace, id }])
    }
  })

  test('what is refused is a word, what fails is marked', async () => {
    const xapi = game.xapi()
    expect((await xapi.post({ nonsense: 'of-a-client' })).status).toBe(400)
    const told = () => traceOf(({ attributes }) => attributes['http.response.status_code'] === 400, 'storeStatements')
    // each process sends its steps when they have ended
    await expect
      .poll(async () => (await told()).map(({ attributes }) => attributes['error.type']))
      .toEqual(expect.arrayContaining(['Problem']))
    const spans = await told()
    expect(spans.filter(({ failed }) => failed)).toEqual([])
  })

  test('a traceparent of a stranger is a link, that of a service goes on', async () => {
    const [trace, id] = ['ab'.repeat(16), 'cd'.repeat(8)]
    const traceparent = `00-${trace}-${id}-01`
    await fetch(`${system.urls[0]}/xapi/statements?limit=1`, {
      headers: { authorization: game.authorization, 'x-experience-api-version': '1.0.3', traceparent },
    })
    await eventually(
      () => collector.spans.some(({ links }) => links.some((link) => link.id === id)),
      () => 'a link',
    )
    const linked = collector.spans.find(({ links }) => links.some((link) => link.id === id))!
    expect(linked).toMatchObject({ name: 'GET /xapi/statements', parent: '', links: [{ trace, id }] })
    expect(linked.trace).not.toBe(trace)
    const call = (method: string, authorization: string, trace: string, body: object) =>
      fetch(`${system.coreUrls[0]}/lrs.v1.${method}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', traceparent: `00-${trace}-${id}-01` },
        body: JSON.stringify(body),
      })
    const [ofService, ofGame] = ['1e'.repeat(16), '2e'.repeat(16)]
    expect((await call('IdentityService/CreateGame', bearer(tokens.admin), ofService, { name: 'Traced' })).status).toBe(
      200,
    )
    expect((await call('StatementService/QueryStatements', game.authorization, ofGame, { limit: 1 })).status).toBe(200)
    await eventually(
      () => collector.spans.some(({ trace, parent }) => trace === ofService && parent === id),
      () => 'the trace of a service',
    )
    expect(collector.spans.find(({ trace, parent }) => trace === ofService && parent === id)).toMatchObject({
      service: 'games-lrs-core',
      name: 'CreateGame',
      kind: 2,
    })
    await eventually(
      () => collector.spans.some(({ links }) => links.some(({ trace }) => trace === ofGame)),
      () => 'the link to a game',
    )
    expect(collector.spans.filter(({ trace }) => trace === ofGame)).toEqual([])
    // a bad one is none
    await fetch(`${system.urls[0]}/xapi/about`, { headers: { traceparent: `00-${'0'.repeat(32)}-x` } })
  })

  test('no secret, no id, no parameter and nothing of a statement leaves', async () => {
    const secret = `content-${crypto.randomUUID()}`
    const one = { ...statement(), result: { response: secret } }
    const xapi = game.xapi()
    await xapi.post(one)
    await xapi.get({ agent: JSON.stringify(one.actor), limit: '1' })
    await fetch(`${system.urls[0]}/xapi/statements/${secret}?token=${secret}`, {
      headers: { authorization: game.authorization },
    })
    await fetch(`${system.urls[0]}/xapi/statements?${secret}=1`, {
      headers: { authorization: game.authorization, 'x-request-id': secret, 'user-agent': secret },
    })
    const known = collector.spans.length
    await xapi.get({ limit: '1' })
    await eventually(
      () => collector.spans.length > known + 3,
      () => 'the last ones',
    )
    const bytes = collector.bytes()
    for (const text of [
      secret,
      game.key,
      game.authorization.split(' ')[1]!,
      ...Object.values(tokens),
      one.id!,
      'mbox',
      'homePage',
      'limit',
    ])
      expect(bytes.includes(text), text).toBe(false)
  })
})

/** Tells which files of OpenTelemetry are loaded. */
const watch =
  'data:text/javascript,import{registerHooks}from"node:module";registerHooks({load(u,c,n){if(u.includes("/@opentelemetry/"))process.stderr.write("LOADED\\n");return n(u,c)}})'

/** A gateway without a core, and what it says until it is stopped. */
async function gatewayWith(env: Record<string, string>, until: RegExp): Promise<{ said: string; closedIn: number }> {
  const child = spawn(process.execPath, ['--import', watch, join(root, 'gateway/main.ts')], {
    env: {
      PATH: process.env['PATH'],
      LRS_SERVICE_TOKEN: tokens.gateway,
      GATEWAY_PORT: '0',
      GATEWAY_HOST: '127.0.0.1',
      CORE_RELAY_URL: 'http://127.0.0.1:1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said += bytes))
    await eventually(
      () => /"port":(\d+)/.test(said),
      () => `a gateway: ${said}`,
    )
    await fetch(`http://127.0.0.1:${/"port":(\d+)/.exec(said)![1]}/xapi/statements`)
    await eventually(
      () => until.test(said),
      () => said,
    )
    const began = performance.now()
    child.kill('SIGTERM')
    await once(child, 'exit')
    return { said, closedIn: performance.now() - began }
  } finally {
    child.kill('SIGKILL')
  }
}

test('without the setting nothing of it is loaded', async () => {
  expect((await gatewayWith({}, /listening/)).said).not.toContain('LOADED')
  expect(
    (await gatewayWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' }, /listening/))
      .said,
  ).not.toContain('LOADED')
})

test('a collector that is not there is told of once, and holds up nobody', async () => {
  const { said, closedIn } = await gatewayWith(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_BSP_SCHEDULE_DELAY: '10',
    },
    /Traces cannot be sent/,
  )
  expect(said).toContain('LOADED')
  expect(said.match(/Traces cannot be sent/g)).toHaveLength(1)
  expect(closedIn).toBeLessThan(20_000)
})

describe('the settings', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  test.each([
    [{}, undefined],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }, undefined],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, undefined],
    [endpoint, { sampler: 'parentbased_always_on', ratio: 1, everyMs: 5_000 }],
    [
      { ...endpoint, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' },
      { sampler: 'parentbased_traceidratio', ratio: 0.01, everyMs: 5_000 },
    ],
  ])('%j', (env, settings) => expect(tracingSettings(env)).toEqual(settings))

  test.each([
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { OTEL_TRACES_SAMPLER: 'some' },
    { OTEL_TRACES_SAMPLER_ARG: '2' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
  ])('%j is refused by name', (env) =>
    expect(() => tracingSettings({ ...endpoint, ...env })).toThrow(Object.keys(env)[0]!),
  )
})
