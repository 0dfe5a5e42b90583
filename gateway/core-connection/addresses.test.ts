import { create } from '@bufbuild/protobuf'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { GetPersonRequestSchema } from '../../gen/lrs/v1/statements_pb.js'
import { serviceToken, startFakeCore, type FakeCore } from '../../test/support/fake-core.ts'
import { result } from '../../test/support/gateway.ts'
import { watchAddresses, type CoreAddress } from './addresses.ts'
import { createRelay } from './relay.ts'

const caller = { authorization: 'Basic YTpi', name: '', address: '', version: '1.0.3', requestId: 'r' }
const hosts = ['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const

async function coreAt(host: string, port: number): Promise<FakeCore> {
  const reply: FakeCore['reply'] = async () => {
    await new Promise((done) => setTimeout(done, 5))
    return result({ case: 'getPerson', value: { json: Buffer.from(host) } })
  }
  const core = await startFakeCore(reply, port, host)
  onTestFinished(() => core.close())
  return core
}

test('cores of one name share the requests; one goes and another comes, and no request fails', async () => {
  const first = await coreAt(hosts[0], 0)
  const cores = [first, await coreAt(hosts[1], first.port), await coreAt(hosts[2], first.port)] as const
  let found: readonly string[] = hosts.slice(0, 2)
  const relay = createRelay({
    cores: [`http://core.example:${first.port}`],
    names: { lookup: async () => found, everyMs: 20 },
    serviceToken,
    timeoutMs: 20_000,
    log: pino({ level: 'silent' }),
  })
  onTestFinished(() => relay.close())
  let isOver = false
  const answered = hosts.map(() => 0)
  const writer = async (): Promise<void> => {
    while (!isOver) {
      const { json } = await relay.call('getPerson', create(GetPersonRequestSchema, { agent: 'a' }), caller)
      answered[hosts.indexOf(Buffer.from(json).toString() as (typeof hosts)[number])]!++
    }
  }
  await expect.poll(() => relay.figures().connected).toBe(2)
  const writers = Array.from({ length: 20 }, writer)
  await expect.poll(() => answered[0]! > 200 && answered[1]! > 200).toBe(true)
  expect(Math.abs(answered[0]! - answered[1]!)).toBeLessThan(40)

  found = [hosts[1]]
  // resolves when the gateway has ended its stream: what was under way is answered before
  await cores[0].leave()
  // the name may be looked up after that
  await expect.poll(() => relay.figures()).toMatchObject({ connected: 1, away: 0 })

  found = hosts.slice(1)
  await expect.poll(() => answered[2]!).toBeGreaterThan(200)
  isOver = true
  await Promise.all(writers)
  expect(answered[0]).toBe(cores[0].requests.length)
})

test('a name without addresses is looked up again; one that is not found any more keeps its addresses', async () => {
  const [names, used] = [
    { 'a.example': ['10.0.0.2', '10.0.0.1', 'fd00::1'] } as Record<string, string[]>,
    [] as string[][],
  ]
  let asked = 0
  const lookup = async (name: string): Promise<string[]> => {
    asked++
    const found = names[name]
    if (!found) throw new Error('ENOTFOUND')
    return found
  }
  const urls = ['http://a.example:8083', 'https://b.example', 'http://[::1]:1', 'http://127.0.0.1:2']
  const watched = watchAddresses(urls, (all) => used.push(all.map(urlOf)), { lookup, everyMs: 5 })
  onTestFinished(() => watched.close())
  const known = ['http://[::1]:1/', 'http://127.0.0.1:2/']
  expect(used).toEqual([known])
  const ofA = ['http://10.0.0.1:8083/', 'http://10.0.0.2:8083/', 'http://[fd00::1]:8083/']
  await expect.poll(() => used).toEqual([known, [...ofA, ...known]])
  delete names['a.example']
  names['b.example'] = ['10.0.0.1']
  await expect.poll(() => used.slice(2)).toEqual([[...ofA, 'https://10.0.0.1/', ...known]])
  watched.close()
  const before = asked
  await new Promise((done) => setTimeout(done, 20))
  expect(asked).toBe(before)
})

const urlOf = ({ url, host }: CoreAddress): string => Object.assign(new URL(url), { hostname: host }).href
