import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { basic, connect, readLaunch, type Client, type LrsError } from './games-lrs.ts'

type Sent = { id: string; object: { id: string } }

let server: Server
let endpoint: string
/** What the service was sent, request by request. */
let requests: Sent[][]
let answer: (batch: Sent[], response: ServerResponse, request: IncomingMessage) => void
let clients: Client[] = []

const accept = (batch: Sent[], response: ServerResponse): void =>
  void response.end(JSON.stringify(batch.map(({ id }) => id)))
const refuse = (response: ServerResponse, status: number, message: string): void =>
  void response.writeHead(status).end(JSON.stringify({ message }))

beforeEach(async () => {
  requests = []
  answer = accept
  server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const text = Buffer.concat(chunks).toString()
      const batch = JSON.parse(text === '' ? '[]' : text) as Sent[]
      requests.push(batch)
      answer(batch, response, request)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/xapi`
})
afterEach(async () => {
  answer = accept
  await Promise.all(clients.splice(0).map((client) => client.close()))
  server.closeAllConnections()
  server.close()
})

async function start(errors: LrsError[] = []): Promise<Client> {
  const launch = {
    endpoint,
    auth: basic('key', 'secret'),
    actor: { mbox: 'mailto:a@example.org' },
    activityId: 'https://games.example/quiz',
  }
  const client = await connect({ launch, flushAfter: 30, onError: (error) => errors.push(error) })
  clients.push(client)
  return client
}

const ids = () => requests.flat().map(({ object }) => object.id)
const eventually = (check: () => void) => expect.poll(() => (check(), true), { interval: 10 }).toBe(true)

test('statements wait for others, go as one batch, and are complete', async () => {
  const client = await start()
  await client.initialized()
  await client.completed({ id: 'level-1', name: 'Level 1' }, { score: 0.8 })
  await eventually(() => expect(requests).toHaveLength(1))
  expect(requests[0]).toEqual([
    expect.objectContaining({
      actor: { mbox: 'mailto:a@example.org' },
      object: { id: 'https://games.example/quiz' },
      timestamp: expect.stringMatching(/Z$/),
    }),
    expect.objectContaining({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      result: { completion: true, score: { scaled: 0.8 } },
      verb: { id: 'http://adlnet.gov/expapi/verbs/completed', display: { en: 'completed' } },
      object: { id: 'https://games.example/quiz/level-1', definition: { name: { und: 'Level 1' } } },
    }),
  ])
})

test('twenty do not wait, and no batch has more than 250', async () => {
  const client = await start()
  const all = Array.from({ length: 600 }, (_, n) => client.progressed(`step-${n}`))
  await Promise.all(all)
  await client.flush()
  expect(ids()).toEqual(Array.from({ length: 600 }, (_, n) => `https://games.example/quiz/step-${n}`))
  expect(Math.max(...requests.map((batch) => batch.length))).toBeLessThanOrEqual(250)
})

test('a retry is the identical batch, after 429, 503 and a dropped connection', async () => {
  const client = await start()
  const answers = [429, 503, 0]
  answer = (batch, response, request) => {
    const status = answers.shift()
    if (status === 0) request.socket.destroy()
    else if (status === undefined) accept(batch, response)
    else refuse(response, status, 'not now')
  }
  await client.passed('level-1')
  await eventually(() => expect(requests).toHaveLength(4))
  expect(new Set(requests.map((batch) => JSON.stringify(batch))).size).toBe(1)
})

test('one bad statement of many reaches the game with its reason, the others are stored in order', async () => {
  const errors: LrsError[] = []
  const client = await start(errors)
  const stored: Sent[] = []
  answer = (batch, response) => {
    if (batch.some(({ object }) => object.id.endsWith('/bad')))
      return refuse(response, 400, 'statements[0].object.id: must be an IRI')
    stored.push(...batch)
    accept(batch, response)
  }
  for (const name of ['a', 'b', 'bad', 'c', 'd']) await client.progressed(name)
  await client.flush()
  expect(stored.map(({ object }) => object.id.at(-1))).toEqual(['a', 'b', 'c', 'd'])
  expect(errors).toMatchObject([
    {
      status: 400,
      message: 'statements[0].object.id: must be an IRI',
      statement: { object: { id: 'https://games.example/quiz/bad' } },
    },
  ])
})

test('a credential that has ended is told once, and nothing is sent after it', async () => {
  const errors: LrsError[] = []
  const client = await start(errors)
  answer = (_batch, response) => refuse(response, 401, 'The launch token has expired.')
  await client.progressed('a')
  await client.flush()
  await client.progressed('b')
  await client.flush()
  expect(errors).toMatchObject([{ status: 401, message: 'The launch token has expired.' }])
  expect(requests).toHaveLength(1)
})

test('10,000 statements wait at most: more are lost, and onError is called once', async () => {
  const errors: LrsError[] = []
  const client = await start(errors)
  answer = (_batch, response) => refuse(response, 503, 'not now')
  const ids = await Promise.all(Array.from({ length: 10_000 }, (_, n) => client.used(`item-${n}`)))
  expect(ids.every((id) => id !== undefined)).toBe(true)
  expect([await client.used('one-more'), await client.used('another')]).toEqual([undefined, undefined])
  expect(errors.map(({ message }) => message)).toEqual([
    '10000 statements wait: later ones are lost until some are sent',
  ])
  expect(await client.pending()).toBe(10_000)
})

test('in Node the launch context comes from the file that the environment names, or from its variables', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'lrs-launch-')), 'launch.json')
  writeFileSync(file, JSON.stringify({ endpoint, auth: 'Bearer file', actor: { mbox: 'mailto:f@example.org' } }))
  const given = { ENDPOINT: endpoint, AUTH: 'Bearer env', ACTOR: '{"mbox":"mailto:e@example.org"}' }
  for (const [name, value] of Object.entries(given)) vi.stubEnv(`XAPI_${name}`, value)
  expect(await readLaunch()).toMatchObject({ auth: 'Bearer env', actor: { mbox: 'mailto:e@example.org' } })
  vi.stubEnv('XAPI_LAUNCH_FILE', file)
  expect(await readLaunch()).toMatchObject({ endpoint, auth: 'Bearer file', actor: { mbox: 'mailto:f@example.org' } })
  vi.unstubAllEnvs()
  expect(await readLaunch()).toBeUndefined()
  expect((await connect()).launched).toBe(false)
})

test('documents: parameters, ETags, merge, what there is not', async () => {
  const client = await start()
  const seen: { method?: string; url?: string; match?: string; none?: unknown }[] = []
  answer = (_batch, response, { method, url, headers }) => {
    seen.push({ method, url, match: headers['if-match'], none: headers['if-none-match'] })
    if (method === 'GET' && url!.includes('none')) return refuse(response, 404, 'There is none.')
    if (headers['if-match'] === '"old"') return refuse(response, 412, 'It has changed.')
    response.writeHead(200, { 'Content-Type': 'application/json', ETag: '"e"' }).end('{"level":2}')
  }
  const state = client.state()
  expect(await state.get('save')).toEqual({ value: { level: 2 }, etag: '"e"' })
  expect(await state.get('none')).toBeUndefined()
  await state.put('save', { level: 3 }, '"e"')
  await state.put('save', { level: 3 }, null)
  await expect(state.put('save', { level: 3 }, '"old"')).rejects.toMatchObject({
    status: 412,
    message: 'It has changed.',
  })
  await state.merge('save', { coins: 1 })
  await client.agentProfile().remove('settings')
  expect(seen[0]!.url).toBe(
    `/xapi/activities/state?${new URLSearchParams({ activityId: 'https://games.example/quiz', agent: '{"mbox":"mailto:a@example.org"}', stateId: 'save' })}`,
  )
  expect(seen.slice(2, 4)).toMatchObject([
    { method: 'PUT', match: '"e"' },
    { method: 'PUT', none: '*' },
  ])
  expect(seen.slice(5).map(({ method }) => method)).toEqual(['POST', 'DELETE'])
})

const forms = ['games-lrs.js', 'games-lrs.global.js']

test('the file that games load is below 6 KB', () => {
  const sizes = forms.map(
    (file) => [file, gzipSync(readFileSync(new URL(`dist/${file}`, import.meta.url))).length] as const,
  )
  process.stderr.write(
    `client, compressed: ${sizes.map(([file, size]) => `${file} ${size} bytes`).join(', ')}; ${6 * 1024} at most\n`,
  )
  for (const [file, size] of sizes) expect(size, file).toBeLessThan(6 * 1024)
})

test('the files of a version never change: their hashes are those in the README', () => {
  const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
  const [, named, integrity] = /client\/([\d.]+)\/games-lrs\.global\.js"\s+integrity="([^"]+)"/.exec(
    readFileSync(new URL('README.md', import.meta.url), 'utf8'),
  )!
  const own = `sha384-${hash('sha384', readFileSync(new URL('dist/games-lrs.global.js', import.meta.url)), 'base64')}`
  expect(
    [named, integrity],
    'raise the version in clients/javascript/package.json, then put both into the README',
  ).toEqual([version, own])
})

test('the package for npm holds both forms, types, README and licence, and nothing else', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  const [{ files }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  const types = ['documents', 'games-lrs', 'launch', 'queue', 'sender', 'verbs'].map((name) => `${name}.d.ts`)
  expect(files.map(({ path }: { path: string }) => path).sort()).toEqual([
    'LICENSE',
    'README.md',
    ...[...forms, ...types].sort().map((name) => `dist/${name}`),
    'package.json',
  ])
  expect(readFileSync(new URL('LICENSE', import.meta.url))).toEqual(
    readFileSync(new URL('../../LICENSE', import.meta.url)),
  )
})

test.each([
  ['a page of a network that asks for a sign-in', (response: ServerResponse) => response.end('<!doctype html>')],
  ['JSON that has no ids', (response: ServerResponse) => response.end('{"status":"ok"}')],
  [
    'a redirection, behind which a GET is answered',
    (response: ServerResponse) => response.writeHead(302, { Location: '/' }).end(),
  ],
])('%s keeps what waits', async (_, wrong) => {
  const errors: LrsError[] = []
  const client = await start(errors)
  const answers = [wrong]
  answer = (batch, response, request) =>
    request.method === 'GET' ? void response.end('[]') : (answers.shift() ?? (() => accept(batch, response)))(response)
  await client.passed('level-1')
  await eventually(() => expect(answers).toHaveLength(0))
  expect(await client.pending()).toBe(1)
  await vi.waitFor(async () => expect(await client.pending()).toBe(0), 5_000)
  expect([requests.length, errors]).toEqual([2, []])
})
