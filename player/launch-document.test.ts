import { expect, onTestFinished, test, vi } from 'vitest'
import type { Launch } from '../gen/lrs/v1/launches_pb.js'
import { build, type Heard, other, secret, stage } from '../test/support/player.ts'

const session = {
  token: 'jwt',
  actor: '{"name":"Ann"}',
  registration: 'r',
  activityId: 'https://a.example',
  buildId: build,
} as Launch

test('launch.json is the launch context of a session of this build', async () => {
  const asked: string[] = []
  const core = { launch: async (given: string) => (asked.push(given), given === secret ? session : undefined) }
  const { ask } = await stage({}, core)
  const found = await ask(`/b/${build}/launch.json`, { authorization: `Bearer ${secret}`, host: 'games.example:8084' })
  expect(found).toMatchObject({
    status: 200,
    headers: { 'cache-control': 'no-store', 'content-type': 'application/json', 'access-control-allow-origin': '*' },
  })
  expect(JSON.parse(found.body.toString())).toEqual({
    endpoint: 'http://games.example:8080/xapi/',
    auth: 'Bearer jwt',
    actor: { name: 'Ann' },
    registration: 'r',
    activity_id: 'https://a.example',
  })
  for (const [of, session] of [
    [other, secret],
    [build, 'x'.repeat(43)],
    [build, 'short'],
    [build, ' '],
  ]) {
    expect((await ask(`/b/${of}/launch.json`, { authorization: `Bearer ${session}` })).status).toBe(404)
  }
  // an address is no place for a secret: this is a file that the build does not have
  expect((await ask(`/b/${build}/launch.json?session=${secret}`)).body.toString()).toContain(
    'There is no game at this address',
  )
  expect(asked).toEqual([secret, secret, 'x'.repeat(43)])
  const proxied = await stage({ trustProxy: 1, gamesUrl: 'https://*.games.example' }, core)
  const behind = await proxied.ask(`/b/${build}/launch.json`, {
    authorization: `Bearer ${secret}`,
    host: `${build}.games.example`,
    'x-forwarded-proto': 'https',
  })
  expect(JSON.parse(behind.body.toString()).endpoint).toBe('https://games.example:8080/xapi/')
  const set = await stage({ xapiUrl: 'https://lrs.example/xapi/' }, core)
  expect(
    JSON.parse((await set.ask(`/b/${build}/launch.json`, { authorization: `Bearer ${secret}` })).body.toString())
      .endpoint,
  ).toBe('https://lrs.example/xapi/')
})

test('launch.json of a build is a file for who names no session, and is asked for again', async () => {
  const { ask } = await stage()
  expect(await ask(`/b/${other}/launch.json`)).toMatchObject({
    status: 200,
    body: Buffer.from('{}'),
    headers: { 'cache-control': 'no-cache' },
  })
  expect(
    (await ask(`/b/${other}/launch.json`, { authorization: `Bearer ${secret}`, 'if-none-match': '"e1"' })).status,
  ).toBe(404)
})

test('open calls to core are limited, for one sender and for all', async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  let asked = 0
  const { ask } = await stage({ trustProxy: 1 }, { launch: () => (asked++, promise) })
  const busy: Heard[] = []
  const flood = (ip: string) =>
    Array.from({ length: 20 }, () =>
      ask(`/b/${build}/launch.json`, { authorization: `Bearer ${secret}`, 'x-forwarded-for': `192.0.2.9, ${ip}` }).then(
        (heard) => heard.status === 503 && busy.push(heard),
      ),
    )
  const all = flood('198.51.100.1')
  await expect.poll(() => busy).toHaveLength(4)
  expect(busy[0]!.headers['retry-after']).toBe('1')
  all.push(...flood('198.51.100.2'))
  await expect.poll(() => busy).toHaveLength(8)
  all.push(...flood('198.51.100.3'))
  // the common calls are used up; a sender without open calls gets two
  await expect.poll(() => busy).toHaveLength(26)
  resolve(undefined)
  await Promise.all(all)
  expect(asked).toBe(34)
})

test('in one second a sender asks for a hundred sessions, and others still for theirs', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000)
  onTestFinished(() => void vi.restoreAllMocks())
  const { ask } = await stage({ trustProxy: 1 })
  const status = async (ip: string) =>
    (await ask(`/b/${build}/launch.json`, { authorization: `Bearer ${secret}`, 'x-forwarded-for': ip })).status
  const heard: number[] = []
  for (let n = 0; n < 101; n++) heard.push(await status('198.51.100.1'))
  expect([heard.slice(0, 100).every((code) => code === 404), heard[100]]).toEqual([true, 503])
  expect(await status('198.51.100.2')).toBe(404)
})

test('others cannot use up the calls of senders with few calls; an IPv6 network is one sender', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000)
  onTestFinished(() => void vi.restoreAllMocks())
  const { ask } = await stage({ trustProxy: 1 })
  const status = async (ip: string) =>
    (await ask(`/b/${build}/launch.json`, { authorization: `Bearer ${secret}`, 'x-forwarded-for': ip })).status
  const heard: number[] = []
  for (let n = 0; n < 110; n++) heard.push(await status(`2001:db8::${n + 1}`))
  expect(heard.filter((code) => code === 404)).toHaveLength(100)
  for (const net of ['1', '2', '3']) for (let n = 0; n < 100; n++) heard.push(await status(`198.51.100.${net}`))
  for (let n = 0; n < 10; n++) expect(await status('203.0.113.1'), `question ${n}`).toBe(404)
  expect(await status('203.0.113.1')).toBe(503)
  for (let n = 0; n < 290; n++) await status(`2001:db8:1:${n.toString(16)}::1`)
  expect(await status('203.0.113.2')).toBe(503)
})
