import { create } from '@bufbuild/protobuf'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HealthCheckResponse_ServingStatus } from '../../gen/grpc/health/v1/health_pb.js'
import { GetPersonRequestSchema, StoreStatementsRequestSchema } from '../../gen/lrs/v1/statements_pb.js'
import type { FakeCore } from '../../test/support/fake-core.ts'
import { serviceToken, startFakeCore } from '../../test/support/fake-core.ts'
import type { Relay } from './relay.ts'
import { createRelay } from './relay.ts'
import { result, stage } from '../../test/support/gateway.ts'
import { bestOfThree } from '../../test/support/cost.ts'

const log = pino({ level: 'silent' })
const caller = { authorization: 'Basic YTpi', name: '', address: '', version: '1.0.3', requestId: 'r' }

const echo: FakeCore['reply'] = ({ call }) =>
  result({ case: 'getPerson', value: { json: Buffer.from((call.value as { agent: string }).agent) } })

async function person(relay: Relay, agent: string): Promise<string> {
  const { json } = await relay.call('getPerson', create(GetPersonRequestSchema, { agent }), caller)
  return Buffer.from(json).toString()
}

async function core(reply: FakeCore['reply'] = echo, port?: number): Promise<FakeCore> {
  const started = await startFakeCore(reply, port)
  onTestFinished(() => started.close())
  return started
}

function relayTo(cores: string[], settings: { timeoutMs?: number; serviceToken?: string } = {}): Relay {
  const relay = createRelay({ cores, serviceToken, timeoutMs: 20_000, log, ...settings })
  onTestFinished(() => relay.close())
  return relay
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms))
const unavailable = { status: 503 }

test('replies find their requests, in whatever order they come', async () => {
  const { url, batches } = await core(async (request) => {
    await sleep(Math.random() * 50)
    return echo(request)
  })
  const relay = relayTo([url])
  const names = Array.from({ length: 500 }, (_, index) => `agent ${index}`)
  expect(await Promise.all(names.map((name) => person(relay, name)))).toEqual(names)
  expect(Math.max(...batches)).toBe(64)
})

test('a message stays below what core accepts, however much waits', async () => {
  const on = await core(({ call }) => result({ case: call.case, value: {} } as never))
  const relay = relayTo([on.url])
  const json = Buffer.alloc(1_900_000)
  const store = () => relay.call('storeStatements', create(StoreStatementsRequestSchema, { json }), caller)
  await Promise.all(Array.from({ length: 12 }, store))
  expect(on.requests.length).toBe(12)
  expect(on.requests.every(({ call }) => (call.value as { json: Uint8Array }).json.length === json.length)).toBe(true)
  expect(Math.max(...on.batches)).toBe(2)
})

test('no reply within the time: 503, and a late one disturbs nobody', bestOfThree, async () => {
  const on = await core(async (request) => {
    if ((request.call.value as { agent: string }).agent === 'slow') await sleep(500)
    return echo(request)
  })
  const relay = relayTo([on.url], { timeoutMs: 200 })
  const slow = person(relay, 'slow')
  await expect(slow).rejects.toMatchObject(unavailable)
  expect(await person(relay, 'quick')).toBe('quick')
  await sleep(400)
  expect(await person(relay, 'again')).toBe('again')
})

test('a broken stream: what is open is 503, then it goes on', async () => {
  const on = await core((request) =>
    (request.call.value as { agent: string }).agent === 'never' ? undefined : echo(request),
  )
  const relay = relayTo([on.url])
  expect(await person(relay, 'a')).toBe('a')
  const lost = [person(relay, 'never'), person(relay, 'never')]
  const outcome = Promise.allSettled(lost)
  await expect.poll(() => on.requests.length).toBe(3)
  on.drop()
  expect(await outcome).toMatchObject([{ reason: unavailable }, { reason: unavailable }])
  expect(await person(relay, 'b')).toBe('b')
})

test('a core that leaves finishes what it has, while another takes over', async () => {
  const on = await core(async (request) => {
    await sleep(200)
    return echo(request)
  })
  const relay = relayTo([on.url])
  const { port } = on
  const open = [person(relay, 'a'), person(relay, 'b')]
  await expect.poll(() => on.requests.length).toBe(2)
  const left = on.leave()
  expect(await Promise.all(open)).toEqual(['a', 'b'])
  await left
  await core(echo, port)
  expect(await person(relay, 'c')).toBe('c')
})

test('a core that starts late or again is found', async () => {
  const first = await core()
  const { port, url } = first
  const relay = relayTo([url], { timeoutMs: 1_000 })
  await expect.poll(() => person(relay, 'a').catch(() => '')).toBe('a')
  first.close()
  await sleep(100)
  await expect(person(relay, 'b')).rejects.toMatchObject(unavailable)
  await core(echo, port)
  await expect.poll(() => person(relay, 'c').catch(() => '')).toBe('c')
})

test('calls go round the cores that are connected', async () => {
  const [a, b] = [await core(), await core()]
  const relay = relayTo([a.url, b.url, 'http://127.0.0.1:1'])
  await expect.poll(async () => (await person(relay, 'x')) && a.requests.length > 0 && b.requests.length > 0).toBe(true)
  const before = [a.requests.length, b.requests.length] as const
  for (let index = 0; index < 10; index++) await person(relay, 'y')
  expect([a.requests.length - before[0], b.requests.length - before[1]]).toEqual([5, 5])
  b.close()
  // once the relay has noticed, no call goes there
  const four = () => Promise.all(Array.from({ length: 4 }, () => person(relay, 'z'))).catch(() => [])
  await expect.poll(four).toEqual(['z', 'z', 'z', 'z'])
})

test('more than 2,000 open requests are 503 at once', bestOfThree, async () => {
  const on = await core(() => undefined)
  const relay = relayTo([on.url], { timeoutMs: 500 })
  const all = await Promise.allSettled(Array.from({ length: 2001 }, () => person(relay, 'x')))
  expect(all.at(-1)).toMatchObject({ reason: { status: 503, message: expect.stringContaining('Too many') } })
  expect(all[0]).toMatchObject({ reason: { status: 503, message: expect.stringContaining('too long') } })
  on.reply = echo
  expect(await person(relay, 'after')).toBe('after')
})

test('a core that refuses the service token is no core', async () => {
  const { url } = await core()
  const relay = relayTo([url], { serviceToken: 'wrong', timeoutMs: 1_000 })
  await expect(person(relay, 'x')).rejects.toMatchObject(unavailable)
})

describe('health', () => {
  test('alive and ready', async () => {
    const { ask } = await stage()
    expect(await ask('GET', '/healthz', { headers: {} })).toMatchObject({ status: 200, text: '{"status":"ok"}' })
    await expect.poll(async () => (await ask('GET', '/readyz', { headers: {} })).status).toBe(200)
  })

  test('not ready: core says so, or is not there', async () => {
    const { ask, core: on } = await stage()
    await expect.poll(async () => (await ask('GET', '/readyz', { headers: {} })).status).toBe(200)
    on.health = HealthCheckResponse_ServingStatus.NOT_SERVING
    const down = await ask('GET', '/readyz', { headers: {} })
    expect(down.status).toBe(503)
    expect(JSON.parse(down.text)).toEqual({ status: 'unavailable', reason: expect.stringContaining('database') })
    on.close()
    await sleep(100)
    const gone = await ask('GET', '/readyz', { headers: {} })
    expect(gone.status).toBe(503)
    expect(JSON.parse(gone.text).reason).toBe('core is not reached')
    expect((await ask('GET', '/healthz', { headers: {} })).status).toBe(200)
    expect((await ask('GET', '/xapi/statements')).status).toBe(503)
  })
})
