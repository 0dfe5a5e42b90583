import { Readable } from 'node:stream'
import type { IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { signedPath } from '../shared/signed-path.ts'
import type { Config } from './config.ts'
import { edge } from './edge.ts'
import { openFiles } from './open-files.ts'
import { fileAt } from './place.ts'
import { senderLimit } from './senders.ts'

const key = Buffer.alloc(32, 1)
const idOf = (n: number): string => `0a1b2c3d-0000-4000-8000-${String(n).padStart(12, '0')}`
const from = (ip: string): IncomingMessage =>
  Object.assign(Readable.from([]), { headers: {}, socket: { remoteAddress: ip } }) as unknown as IncomingMessage
const log = pino({ level: 'silent' })

function stage(onClosed?: (id: string) => void) {
  const state = { open: new Set<string>(), now: 1_000_000, calls: [] as [number, number][], away: false }
  const files = openFiles(
    {
      async checkFiles(builds, signed) {
        state.calls.push([builds.length, signed.length])
        if (state.away) throw new Error('away')
        const found = (ids: readonly string[]) => ids.filter((id) => state.open.has(id))
        return { openBuilds: found(builds), openSigned: found(signed), keys: [key] }
      },
    },
    { limited: senderLimit({ trustProxy: 0 }, () => state.now), log, now: () => state.now },
    onClosed,
  )
  const ask = (path: string, ip = '192.0.2.1') => files.verdictOf(fileAt(path)!, from(ip))
  return { state, files, ask, page: (n: number, ip?: string) => ask(`/b/${idOf(n)}/index.html`, ip) }
}

test('what is asked for in the same moment is one look-up; a hot build costs one in a second', async () => {
  const { state, page } = stage()
  for (let n = 0; n < 10; n++) state.open.add(idOf(n))
  await Promise.all(Array.from({ length: 100 }, (_, n) => page(n % 10)))
  expect(state.calls).toEqual([[10, 0]])
  for (let file = 0; file < 1_000; file++) {
    state.now += 5
    await page(1)
  }
  // five seconds
  expect(state.calls.length).toBeLessThanOrEqual(6)
})

test('a closed build stays open for those who were sent there a moment ago, for 3 s after core said so', async () => {
  const { state, page } = stage()
  state.open.add(idOf(1))
  expect(await page(1)).toBe('open')
  state.open.clear()
  state.now += 2_900
  expect(await page(1)).toBe('open')
  state.now += 200
  expect(await page(1)).toBe('closed')
})

test('without core, open stays open for two minutes and closed stays closed; what is unknown is asked for later', async () => {
  const { state, page } = stage()
  state.open.add(idOf(1))
  expect([await page(1), await page(2)]).toEqual(['open', 'closed'])
  state.away = true
  for (let second = 0; second < 119; second++) {
    state.now += 1_000
    expect([await page(1), await page(2), await page(3)]).toEqual(['open', 'closed', 'busy'])
  }
  state.now += 2_000
  expect(await page(1)).toBe('busy')
  // one look-up in a second tries again
  expect(state.calls.length).toBeLessThanOrEqual(130)
  state.away = false
  state.now += 1_000
  expect(await page(1)).toBe('open')
})

test('who asks for random builds is limited, and does not disturb hot ones', async () => {
  const { state, page } = stage()
  state.open.add(idOf(1))
  expect(await page(1)).toBe('open')
  const heard = await Promise.all(Array.from({ length: 1_000 }, (_, n) => page(1_000 + n, '198.51.100.1')))
  // of one sender 16 at a time
  expect(heard.filter((one) => one === 'closed')).toHaveLength(16)
  expect(state.calls).toHaveLength(2)
  for (let sender = 0; sender < 300; sender++) {
    state.now += 10
    await Promise.all(Array.from({ length: 100 }, (_, n) => page(10_000 + sender * 100 + n, `198.51.100.${sender}`)))
    expect(await page(1)).toBe('open')
  }
})

test('a signed path is of one build, and ends; a forged one asks core nothing', async () => {
  const { state, ask } = stage()
  const [session, build] = [idOf(1), idOf(2)]
  state.open.add(session)
  const expires = Math.floor(state.now / 1000) + 10
  const path = (of = build, signedWith: Uint8Array = key) =>
    ask(`${signedPath(signedWith, { id: session, buildId: build, expires })}/b/${of}/index.html`)
  expect([await path(), await path(idOf(3))]).toEqual(['signed', 'closed'])
  state.open.add(build)
  state.now += 1_500
  await path()
  await expect.poll(() => path()).toBe('public')
  const before = state.calls.length
  for (let n = 0; n < 100; n++) expect(await path(build, Buffer.alloc(32, n + 2))).toBe('closed')
  expect(state.calls.length - before).toBeLessThanOrEqual(1)
  state.now += 20_000
  expect(await path()).toBe('closed')
})

test('the edge is told of a build that has closed, until it says yes', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const heard: string[] = []
  const server = createServer((request, response) => {
    request.on('data', (part) => heard.push(`${request.headers.authorization} ${String(part)}`))
    request.on('end', () => response.writeHead(heard.length === 1 ? 500 : 200).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const edgePurgeUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/purge`
  const state = { now: 1_000_000 }
  const at = edge({ edgeSeconds: 600, edgePurgeUrl, edgePurgeToken: 'secret' } as Config, log, () => state.now)
  const { state: core, files, page } = stage(at.closed)
  core.open.add(idOf(1))
  await page(1)
  at.gave(idOf(1))
  const stop = at.watch(files.again)
  onTestFinished(stop)
  core.open.clear()
  const second = async () => {
    core.now = state.now += 1_000
    await vi.advanceTimersByTimeAsync(1_000)
    // the look-up and the call are of this machine
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  for (let n = 0; n < 10 && heard.length < 2; n++) await second()
  await second()
  expect(heard).toEqual(Array.from({ length: 2 }, () => `Bearer secret {"tags":["build-${idOf(1)}"]}`))
})
