import { describe, expect, test } from 'vitest'
import { Reason } from '../gen/lrs/v1/failure_pb.js'
import type { FakeCore } from '../test/support/fake-core.ts'
import { asked, credential, failure, learner, nod, stage, usual } from '../test/support/gateway.ts'

const activity = 'activityId=http%3A%2F%2Fa.example'
const resources: [string, string][] = [
  ['/xapi/statements', 'POST, PUT, GET, HEAD, OPTIONS'],
  ['/xapi/activities/state', 'PUT, POST, GET, DELETE, HEAD, OPTIONS'],
  ['/xapi/activities/profile', 'PUT, POST, GET, DELETE, HEAD, OPTIONS'],
  ['/xapi/agents/profile', 'PUT, POST, GET, DELETE, HEAD, OPTIONS'],
  ['/xapi/activities', 'GET, HEAD, OPTIONS'],
  ['/xapi/agents', 'GET, HEAD, OPTIONS'],
  ['/xapi/about', 'GET, HEAD, OPTIONS'],
]

describe.each(resources)('%s', (path, methods) => {
  test('preflight', async () => {
    const { ask } = await stage()
    const heard = await ask('OPTIONS', path, {
      headers: { Origin: 'https://game.example', 'Access-Control-Request-Method': 'PUT' },
    })
    expect(heard.status).toBe(204)
    expect(heard.text).toBe('')
    expect(heard.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods,
      'access-control-max-age': '86400',
      'x-experience-api-version': '1.0.3',
    })
    const allowed = heard.headers['access-control-allow-headers']!.toLowerCase().split(', ')
    for (const name of [
      'authorization',
      'content-type',
      'x-experience-api-version',
      'if-match',
      'if-none-match',
      'accept-language',
    ]) {
      expect(allowed).toContain(name)
    }
  })

  test('another method is 405', async () => {
    const { ask } = await stage()
    const heard = await ask('PATCH', path, { headers: {} })
    expect(heard.status).toBe(405)
    expect(heard.headers.allow).toBe(methods)
    expect(JSON.parse(heard.text)).toEqual({ message: expect.any(String) })
  })
})

describe.each(resources.filter(([path]) => path !== '/xapi/about'))('%s refuses', (path) => {
  test('credential first, then version, then parameters', async () => {
    const { ask, core } = await stage()
    const target = `${path}?wrong=1`
    const missing = await ask('GET', target, { headers: {} })
    expect(missing.status).toBe(401)
    expect(missing.headers['x-experience-api-version']).toBe('1.0.3')
    for (const Authorization of [
      'Basic',
      'Basic ',
      'Basic:YTpi',
      'Basic a b',
      'Digest x',
      'Bearer a,b',
      'YTpi',
      'Basic  YTpi',
    ]) {
      expect((await ask('GET', target, { headers: { ...usual, Authorization } })).status).toBe(401)
    }
    const versionless = await ask('GET', target, { headers: credential })
    expect(versionless.status).toBe(400)
    expect(JSON.parse(versionless.text)).toEqual({ message: expect.any(String), path: 'X-Experience-API-Version' })
    expect(JSON.parse((await ask('GET', target)).text)).toMatchObject({ path: 'wrong' })
    expect(asked(core)).toEqual([])
  })
})

test.each(['/', '/xapi', '/xapi/', '/xapi/nothing', '/xapi/statements/', '/xapi/Statements', '/xapi/%zz', '/%'])(
  '%s is 404',
  async (path) => {
    const { ask } = await stage()
    const heard = await ask('GET', path, { headers: { 'X-Experience-API-Version': '2.0.0' } })
    expect(heard.status).toBe(404)
    expect(heard.headers).toMatchObject({ 'access-control-allow-origin': '*', 'x-experience-api-version': '2.0.0' })
    expect(JSON.parse(heard.text)).toEqual({ message: expect.any(String) })
  },
)

const encoded = ['/xapi/%61bout', '/%78api/st%61tements', '/xapi/activities/pro%66il%65']
test.each(encoded)('%s is its path without the percent-encoding', async (path) => {
  const { ask } = await stage()
  expect((await ask('OPTIONS', path, { headers: {} })).status).toBe(204)
})

const others = ['/xapi%2Fabout', '/xapi/activities/%2e%2e/about', '/xapi/about%3F', '/xapi/%2561bout']
test.each(others)('%s is no other path', async (path) => {
  const { ask } = await stage()
  expect((await ask('GET', path)).status).toBe(404)
})

test('an expectation that nobody meets is 417, in words, and its body is not read', async () => {
  const { ask, core } = await stage()
  const headers = { ...usual, Expect: 'a-miracle', 'Content-Length': 5 }
  const heard = await ask('POST', '/xapi/statements', { headers, body: 'hello' })
  expect(heard.status).toBe(417)
  expect(JSON.parse(heard.text)).toEqual({ message: 'Expect: must be 100-continue, or omitted', path: 'Expect' })
  expect(heard.headers).toMatchObject({ 'access-control-allow-origin': '*', 'x-experience-api-version': '1.0.3' })
  expect(asked(core)).toEqual([])
})

test('a browser may ask for what is not there, so that the game learns why', async () => {
  const { ask } = await stage()
  const heard = await ask('OPTIONS', '/xapi/statement', {
    headers: { Origin: 'null', 'Access-Control-Request-Method': 'PUT' },
  })
  expect(heard.status).toBe(204)
  expect(heard.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': expect.stringContaining('PUT'),
  })
  expect(heard.headers['access-control-allow-headers']).toContain('Authorization')
  expect((await ask('OPTIONS', '/xapi/statement', { headers: {} })).status).toBe(404)
})

describe('version', () => {
  const known = [['1.0', '1.0.3'], ['1.0.0'], ['1.0.1'], ['1.0.3'], ['1.0.9'], ['2.0', '2.0.0'], ['2.0.0'], ['2.0.1']]
  test.each(known)('%s is accepted and named in the answer', async (asked, version = asked) => {
    const { ask, core } = await stage()
    const heard = await ask('GET', '/xapi/statements', {
      headers: { ...credential, 'X-Experience-API-Version': asked },
    })
    expect(heard.status).toBe(200)
    expect(heard.headers['x-experience-api-version']).toBe(version)
    expect(core.requests[0]!.version).toBe(version)
  })

  test.each(['', '0.9', '0.95', '1', '1.1.0', '1.0.3.1', '1.0.', '2', '2.0.', '2.1.0', '1.0.3, 1.0.3', 'x'])(
    '%j is 400',
    async (version) => {
      const { ask } = await stage(nod, { defaultVersion: '2.0.0' })
      const heard = await ask('GET', '/xapi/statements', {
        headers: { ...credential, 'X-Experience-API-Version': version },
      })
      expect(heard.status).toBe(400)
      expect(heard.headers['x-experience-api-version']).toBe('2.0.0')
      expect(JSON.parse(heard.text).message).toContain('X-Experience-API-Version')
    },
  )
})

test('about needs neither credential nor version', async () => {
  const { ask } = await stage()
  const heard = await ask('GET', '/xapi/about', {
    headers: { Authorization: 'nonsense', 'X-Experience-API-Version': '7' },
  })
  expect(heard.status).toBe(200)
  expect(JSON.parse(heard.text)).toEqual({ version: ['1.0.3', '2.0.0'], extensions: {} })
  expect(heard.headers['x-experience-api-version']).toBe('1.0.3')
})

test.each([
  '/xapi/about',
  '/xapi/statements',
  `/xapi/activities?${activity}`,
  `/xapi/agents?agent=${learner}`,
  `/xapi/agents/profile?agent=${learner}`,
  `/xapi/activities/profile?${activity}`,
  '/xapi/agents',
  '/healthz',
])('HEAD %s answers like GET, without the body', async (path) => {
  const { ask } = await stage()
  const get = await ask('GET', path)
  const head = await ask('HEAD', path)
  const { date: _a, 'x-request-id': _b, ...expected } = get.headers
  expect(head.status).toBe(get.status)
  expect(head.headers).toMatchObject(expected)
  expect(head.text).toBe('')
})

test("request ids: the client's where it is a plain word, else a new one", async () => {
  const { ask, core } = await stage()
  const asked = (id?: string) =>
    ask('GET', '/xapi/statements', { headers: { ...usual, ...(id === undefined ? {} : { 'X-Request-Id': id }) } })
  expect((await asked('game.7-a_b')).headers['x-request-id']).toBe('game.7-a_b')
  expect(core.requests.at(-1)!.requestId).toBe('game.7-a_b')
  const made = new Set<unknown>()
  for (const id of [undefined, 'a b', 'x'.repeat(65), '<b>']) made.add((await asked(id)).headers['x-request-id'])
  expect(made.size).toBe(4)
  for (const id of made) expect(id).toMatch(/^[\w.-]{1,64}$/)
  expect(core.requests.at(-1)!.requestId).toBe([...made].at(-1))
})

test('the credential goes to core in its one spelling', async () => {
  const { ask, core } = await stage()
  await ask('GET', '/xapi/statements', { headers: { ...usual, Authorization: 'bearer a.b-c_d~e+f/g=' } })
  expect(core.requests[0]!.authorization).toBe('Bearer a.b-c_d~e+f/g=')
})

test('answers can be read by scripts of other origins', async () => {
  const { ask } = await stage()
  const { headers } = await ask('GET', '/xapi/statements')
  const exposed = headers['access-control-expose-headers']!.split(', ')
  expect(exposed).toEqual(
    expect.arrayContaining([
      'ETag',
      'Last-Modified',
      'X-Experience-API-Version',
      'X-Experience-API-Consistent-Through',
      'Date',
    ]),
  )
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  expect(headers['x-powered-by']).toBeUndefined()
})

test.each([
  ['no Host', 'Authorization: Basic YTpi', 'Host'],
  ['two Hosts', 'Host: a\r\nHost: b\r\nAuthorization: Basic YTpi', 'Host'],
  ['two Authorizations', 'Host: a\r\nAuthorization: Basic YTpi\r\nauthorization: Basic Yzpk', 'authorization'],
  [
    'the same Authorization twice',
    'Host: a\r\nAuthorization: Basic YTpi\r\nAuthorization: Basic YTpi',
    'Authorization',
  ],
  [
    'two Content-Types',
    'Host: a\r\nAuthorization: Basic YTpi\r\nContent-Type: application/json\r\nContent-Type: text/plain',
    'Content-Type',
  ],
])('%s: 400 that says so, and core is not asked', async (_what, headers, path) => {
  const { raw, core } = await stage()
  const said = await raw(
    `GET /xapi/statements HTTP/1.1\r\n${headers}\r\nX-Experience-API-Version: 1.0.3\r\nConnection: close\r\n\r\n`,
  )
  expect(said).toMatch(/^HTTP\/1\.1 400 /)
  expect(said).toContain(`{"message":"${path}: this header `)
  expect(asked(core)).toEqual([])
})

test.each(['gzip, chunked', 'chunked, chunked', 'gzip', 'identity', 'CHUNKED'])(
  'Transfer-Encoding: %s is decoded whole, or refused: 501',
  async (coding) => {
    const { raw, core } = await stage()
    const head = `Host: a\r\nAuthorization: Basic YTpi\r\nX-Experience-API-Version: 1.0.3\r\nConnection: close`
    const body = `Content-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\n[]\r\n0\r\n\r\n`
    const said = await raw(`POST /xapi/statements HTTP/1.1\r\n${head}\r\n${body}`)
    // Node itself refuses what does not end with chunked
    expect(said).toMatch(coding === 'CHUNKED' ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 (?:501|400) /)
    if (coding === 'gzip, chunked') expect(said).toMatch(/^HTTP\/1\.1 501 [^]*Transfer-Encoding: must be chunked/)
    expect(asked(core)).toHaveLength(coding === 'CHUNKED' ? 1 : 0)
  },
)

test('core is asked about a stranger before a large body is sent, and once: then the body follows at once', async () => {
  const { ask, raw, core } = await stage()
  const refuse: FakeCore['reply'] = ({ call }) =>
    call.case === 'identify' ? failure(Reason.UNAUTHENTICATED, 'The key or the secret is wrong.') : undefined
  core.reply = refuse
  const head =
    'POST /xapi/statements HTTP/1.1\r\nHost: a\r\nAuthorization: Basic YTpi\r\nX-Experience-API-Version: 1.0.3\r\n' +
    'Content-Type: application/json\r\nConnection: close\r\nContent-Length: '
  // not one byte of the body is sent
  expect(await raw(`${head}2000000\r\n\r\n`)).toMatch(/^HTTP\/1\.1 401 [^]*The key or the secret is wrong/)
  core.reply = nod
  const large = { headers: { ...usual, 'Content-Type': 'application/json' }, body: Buffer.alloc(70_000, 'x') }
  for (let n = 0; n < 3; n++) expect((await ask('POST', '/xapi/statements', large)).status).toBe(200)
  const calls = core.requests.map(({ call, address }) => [call.case, address !== ''])
  expect(calls).toEqual([
    ['identify', true],
    ['identify', true],
    ['storeStatements', false],
    ['storeStatements', false],
    ['storeStatements', false],
  ])
})
