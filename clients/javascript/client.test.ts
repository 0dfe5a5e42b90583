import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { basic, connect, readLaunch, type Client, type LrsError } from './games-lrs.ts'
import { openQueue } from './queue.ts'
import { sender } from './sender.ts'

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
  vi.unstubAllGlobals()
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

test('bad statements that the service names are left out together: two requests', async () => {
  const errors: LrsError[] = []
  const client = await start(errors)
  answer = (batch, response) => {
    const faults = batch.flatMap(({ object }, index) =>
      object.id.endsWith('/bad') ? [{ index, message: `statements[${index}]: bad` }] : [],
    )
    if (faults.length === 0) return accept(batch, response)
    response.writeHead(400).end(JSON.stringify({ message: 'bad', faults: [{ index: 99 }, ...faults] }))
  }
  for (const name of ['a', 'bad', 'b', 'bad', 'c']) await client.progressed(name)
  await client.flush()
  expect(requests.map((batch) => batch.length)).toEqual([5, 3])
  expect(errors.map(({ message }) => message)).toEqual(['statements[1]: bad', 'statements[3]: bad'])
  expect(await client.pending()).toBe(0)
})

test('a debug build tells a mistake once; every statement tells client, platform and version of the game', async () => {
  const errors: LrsError[] = []
  const launch = { endpoint, auth: 'Bearer a', activityId: 'https://games.example/quiz' }
  const client = await connect({
    launch,
    debug: true,
    version: '1.2.3',
    engine: 'Phaser 3',
    onError: (error) => errors.push(error),
  })
  clients.push(client)
  for (let n = 0; n < 2; n++) await client.completed({ id: 'level-1', type: 'levle' }, { score: 80 })
  await client.flush()
  expect(errors.map(({ status, message }) => [status, message.slice(0, 44)])).toEqual([
    [0, 'object.definition.type: "levle" is no type o'],
    [0, 'result.score: 80 is not from -1 to 1. Write '],
  ])
  expect(requests[0]![0]).toMatchObject({
    context: {
      revision: '1.2.3',
      platform: process.platform,
      extensions: {
        'urn:games-lrs:client': expect.stringContaining('games-lrs.js'),
        'urn:games-lrs:engine': 'Phaser 3',
      },
    },
  })
})

test.each([
  [401, 'The launch token has expired.'],
  [404, 'There is nothing at this address.'],
])('%i is told once, and nothing is sent after it', async (status, message) => {
  const errors: LrsError[] = []
  const client = await start(errors)
  answer = (_batch, response) => refuse(response, status, message)
  await client.progressed('a')
  await client.flush()
  await client.progressed('b')
  await client.flush()
  expect(errors).toMatchObject([{ status, message }])
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

test('a page with Node, as in Electron and NW.js, has its launch context from there', async () => {
  vi.stubGlobal('location', new URL('file:///game/index.html'))
  vi.stubGlobal('window', Object.assign(globalThis, { parent: globalThis }))
  vi.stubEnv('XAPI_ENDPOINT', endpoint)
  vi.stubEnv('XAPI_AUTH', 'Bearer env')
  expect(await readLaunch()).toMatchObject({ auth: 'Bearer env' })
  // what packers put into pages
  vi.stubGlobal('process', { env: {} })
  expect(await readLaunch()).toBeUndefined()
  vi.unstubAllEnvs()
})

test('without https and in older browsers statements are sent: no randomUUID, no AbortSignal.timeout', async () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
  vi.stubGlobal('AbortSignal', {})
  const client = await start()
  const id = await client.passed('level-1')
  await client.flush()
  expect(requests.flat().map((sent) => sent.id)).toEqual([id])
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('a game hears from the page around it, and from nobody else, that its lesson is paused', async () => {
  const page = new EventTarget()
  for (const name of ['addEventListener', 'removeEventListener'] as const) vi.stubGlobal(name, page[name].bind(page))
  vi.stubGlobal('document', page)
  const parent = {}
  vi.stubGlobal('window', { parent })
  const heard: boolean[] = []
  const launch = { endpoint, auth: basic('key', 'secret'), actor: {} }
  const client = await connect({ launch, onPause: (paused) => heard.push(paused) })
  const say = (source: unknown, type: string) =>
    page.dispatchEvent(Object.assign(new Event('message'), { source, data: { type } }))
  say({}, 'xapi-pause')
  say(parent, 'xapi-launch')
  expect(heard).toEqual([])
  say(parent, 'xapi-pause')
  say(parent, 'xapi-resume')
  await client.close()
  say(parent, 'xapi-pause')
  expect(heard).toEqual([true, false])
})

/** A page in which IndexedDB never answers, as in some versions of WebKit. */
function silentPage(): void {
  const kept = new Map<string, string>()
  const methods = {
    setItem: (name: string, text: string) => void (kept.set(name, text), Object.assign(storage, { [name]: text })),
    getItem: (name: string) => kept.get(name),
    removeItem: (name: string) => void (kept.delete(name), delete storage[name]),
  }
  const storage: Record<string, unknown> = Object.create(methods)
  vi.stubGlobal('document', {})
  vi.stubGlobal('localStorage', storage)
  vi.stubGlobal('indexedDB', { open: () => new EventTarget() })
}

async function opened(owner: string) {
  vi.useFakeTimers()
  const opening = openQueue(owner)
  await vi.advanceTimersByTimeAsync(1_000)
  vi.useRealTimers()
  return opening
}

test('where IndexedDB does not answer, statements wait in localStorage, in order, each for its owner', async () => {
  silentPage()
  const queue = await opened('ann')
  for (const id of ['a', 'b', 'c']) await queue.add(id, `"${id}"`)
  const next = await opened('ann')
  const waiting = await next.first(2)
  expect(waiting.map(({ id, json }) => [id, json])).toEqual([
    ['a', '"a"'],
    ['b', '"b"'],
  ])
  await next.remove(waiting.map(({ key }) => key))
  expect([await queue.count(), await (await opened('ben')).count()]).toEqual([1, 0])
  vi.stubGlobal('localStorage', {
    setItem: () => {
      throw new Error('it is full')
    },
  })
  const full = await opened('ann')
  expect(await full.add('d', '"d"')).toBeLessThan(0)
  expect(await full.count()).toBe(1)
})

test('two tabs send in batches, also after one of them has sent what the other one added', async () => {
  silentPage()
  const sent: number[] = []
  const tab = async () => {
    const queue = await opened('ann')
    const request = async (_method: string, _path: string, { body }: RequestInit) => {
      sent.push(JSON.parse(String(body)).length)
      return Response.json([])
    }
    const given = { request, renew: async () => false, onError: () => {}, flushAfter: 60_000, flushAt: 20 }
    return sender({ queue, ...given })
  }
  const [one, other] = [await tab(), await tab()]
  const add = async (count: number) => {
    for (let n = 0; n < count; n++) await other.add(`${n}`, '{}')
  }
  for (let round = 0; round < 3; round++) {
    await add(15)
    await one.flush()
  }
  await add(10)
  await other.flush()
  expect(sent).toEqual([15, 15, 15, 10])
  one.close()
  other.close()
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
  expect(await state.put('save', { level: 3 }, '"e"')).toBe('"e"')
  await state.put('save', { level: 3 }, null)
  await expect(state.put('save', { level: 3 }, '"old"')).rejects.toMatchObject({
    status: 412,
    message: 'It has changed.',
  })
  await state.merge('save', { coins: 1 })
  await client.agentProfile().remove('settings')
  expect(seen[0]!.url).toBe(
    `/xapi/activities/state?${new URLSearchParams({
      activityId: 'https://games.example/quiz',
      agent: '{"mbox":"mailto:a@example.org"}',
      stateId: 'save',
    })}`,
  )
  expect(seen.slice(2, 4)).toMatchObject([
    { method: 'PUT', match: '"e"' },
    { method: 'PUT', none: '*' },
  ])
  expect(seen.slice(5).map(({ method }) => method)).toEqual(['POST', 'DELETE'])
})

const forms = ['games-lrs.cjs', 'games-lrs.js', 'games-lrs.global.js']

test('the file that games load is below 7 KB', () => {
  const sizes = forms.map(
    (file) => [file, gzipSync(readFileSync(new URL(`dist/${file}`, import.meta.url))).length] as const,
  )
  process.stderr.write(
    `client, compressed: ${sizes.map(([file, size]) => `${file} ${size} bytes`).join(', ')}; ${7 * 1024} at most\n`,
  )
  for (const [file, size] of sizes) expect(size, file).toBeLessThan(7 * 1024)
})

test('the files of a released version never change, and the README names the newest one', () => {
  const here = (path: string): URL => new URL(path, import.meta.url)
  const released: Record<string, Record<string, string>> = JSON.parse(readFileSync(here('released.json'), 'utf8'))
  const hashes = (folder: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(here(folder)).map((name) => [
        name,
        `sha384-${hash('sha384', readFileSync(here(`${folder}/${name}`)), 'base64')}`,
      ]),
    )
  expect(Object.keys(released).sort()).toEqual(readdirSync(here('released')).sort())
  for (const [version, files] of Object.entries(released)) {
    const scripts = Object.entries(files).filter(([name]) => name.endsWith('.js'))
    expect(hashes(`released/${version}`), version).toEqual(Object.fromEntries(scripts))
  }
  const { version } = JSON.parse(readFileSync(here('package.json'), 'utf8'))
  if (released[version])
    expect(hashes('dist'), `${version} is released: raise the version in package.json`).toEqual(released[version])
  const [, named, integrity] = /client\/([\d.]+)\/games-lrs\.global\.js"\s+integrity="([^"]+)"/.exec(
    readFileSync(here('README.md'), 'utf8'),
  )!
  const newest = Object.keys(released).at(-1)!
  expect([named, integrity]).toEqual([newest, released[newest]!['games-lrs.global.js']])
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
  expect(files.map(({ path }: { path: string }) => path).sort()).toEqual([
    'LICENSE',
    'README.md',
    ...[...forms, 'games-lrs.d.cts', 'games-lrs.d.ts'].sort().map((name) => `dist/${name}`),
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

test('as a unit of cmi5 it adds to the template, changes nothing of it, and passes no verdict', async () => {
  const said: unknown[] = []
  vi.stubGlobal('window', { parent: { postMessage: (message: unknown) => said.push(message) } })
  const [session, group] = [
    'https://w3id.org/xapi/cmi5/context/extensions/sessionid',
    { id: 'https://lms.example/unit' },
  ]
  const contextTemplate = {
    contextActivities: { grouping: [group] },
    extensions: { [session]: 's-1' },
    platform: 'LMS',
  }
  const launch = {
    endpoint,
    auth: 'Basic token',
    actor: { mbox: 'mailto:a@example.org' },
    registration: 'r-1',
    activityId: 'https://lms.example/au',
    cmi5: { contextTemplate, launchMode: 'Normal' as const },
  }
  const client = await connect({ launch, flushAfter: 30 })
  clients.push(client)
  await client.initialized()
  await client.completed('level-1', 0.5)
  await client.send({
    verb: { id: 'https://x.example/verbs/met' },
    object: { id: 'fox' },
    context: {
      contextActivities: { grouping: client.launch!.actor },
      extensions: { [session]: 'other', 'urn:more': 1 },
    },
  })
  expect(await client.completed(undefined, { score: 0.8, progress: 1 })).toBeUndefined()
  await client.terminated()
  await client.flush()
  expect(said).toEqual([
    { type: 'xapi-cmi5', verb: 'initialized' },
    {
      type: 'xapi-cmi5',
      verb: 'completed',
      result: expect.objectContaining({ completion: true, score: { scaled: 0.8 } }),
    },
    { type: 'xapi-cmi5', verb: 'terminated' },
  ])
  expect(ids()).toEqual(['https://lms.example/au/level-1', 'https://lms.example/au/fox'])
  const [level, fox] = requests.flat().map((statement) => (statement as unknown as { context: object }).context)
  const common = { registration: 'r-1', platform: 'LMS' }
  expect(level).toMatchObject({ ...common, contextActivities: { grouping: [group] }, extensions: { [session]: 's-1' } })
  expect(fox).toMatchObject({
    ...common,
    contextActivities: { grouping: [group, launch.actor] },
    extensions: { [session]: 's-1', 'urn:more': 1, 'urn:games-lrs:client': expect.any(String) },
  })
})
