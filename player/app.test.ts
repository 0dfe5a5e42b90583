import { expect, test } from 'vitest'
import { build, compressed, files, other, secret, stage } from '../test/support/player.ts'
import { bestOfThree, processorTime } from '../test/support/cost.ts'
import { rawRequest } from '../test/support/raw-request.ts'

test('the same files below /i/ are isolated from other origins, so that threads have shared memory', async () => {
  const { ask } = await stage()
  const isolation = { 'cross-origin-embedder-policy': 'require-corp', 'cross-origin-opener-policy': 'same-origin' }
  for (const path of ['', 'data.bin', 'game.js.br']) {
    expect((await ask(`/i/${build}/${path}`)).headers, path).toMatchObject({
      ...isolation,
      'cross-origin-resource-policy': 'cross-origin',
    })
    expect(Object.keys((await ask(`/b/${build}/${path}`)).headers), path).not.toContain('cross-origin-embedder-policy')
  }
})

test('a page is sandboxed, asked for again each time, and has nothing of the portal', async () => {
  const { ask } = await stage()
  const page = await ask(`/b/${build}/index.html?auth=Bearer%20x`)
  expect(page).toMatchObject({
    status: 200,
    body: files[`builds/${build}/index.html`],
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      etag: '"e1"',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'access-control-allow-origin': '*',
      'content-security-policy': 'sandbox allow-scripts allow-pointer-lock allow-forms allow-modals',
    },
  })
  expect(page.headers['set-cookie']).toBeUndefined()
  const apart = await stage({ gamesUrl: 'http://*.games.example' })
  const own = await apart.ask(`/b/${build}/`, { host: `${build}.games.example` })
  expect(own.headers['strict-transport-security']).toBeUndefined()
  const secure = await stage({ gamesUrl: 'https://*.games.example' })
  expect(
    (await secure.ask(`/b/${build}/`, { host: `${build}.games.example` })).headers['strict-transport-security'],
  ).toBe('max-age=31536000; includeSubDomains')
  expect(own.headers['content-security-policy']).toBe(
    'sandbox allow-scripts allow-pointer-lock allow-forms allow-modals allow-same-origin',
  )
  for (const host of [`${other}.games.example`, 'games.example'])
    expect((await apart.ask(`/b/${build}/`, { host })).status).toBe(404)
})

test('other files are kept for good, and are not sent again', async () => {
  const { ask } = await stage()
  const whole = await ask(`/b/${build}/data.bin`)
  expect(whole).toMatchObject({
    status: 200,
    headers: {
      'cache-control': 'public, max-age=31536000, s-maxage=600, immutable',
      'accept-ranges': 'bytes',
      'content-length': '10',
    },
  })
  for (const tag of ['"e1"', 'W/"e1"', '"x", "e1"', '*']) {
    const unchanged = await ask(`/b/${build}/data.bin`, { 'if-none-match': tag })
    expect(unchanged).toMatchObject({
      status: 304,
      body: Buffer.alloc(0),
      headers: { etag: '"e1"', 'cache-control': 'public, max-age=31536000, s-maxage=600, immutable' },
    })
  }
  expect((await ask(`/b/${build}/data.bin`, { 'if-none-match': '"e2"' })).status).toBe(200)
  expect(await ask(`/b/${build}/data.bin`, {}, 'HEAD')).toMatchObject({
    status: 200,
    body: Buffer.alloc(0),
    headers: { 'content-length': '10' },
  })
  expect(await ask(`/b/${build}/empty.txt`)).toMatchObject({
    status: 200,
    headers: { 'content-length': '0', 'content-type': 'text/plain; charset=utf-8' },
  })
})

test.each<[header: string, status: number, body: string, range?: string]>([
  ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
  ['bytes=8-', 206, '89', 'bytes 8-9/10'],
  ['bytes=-2', 206, '89', 'bytes 8-9/10'],
  ['bytes=5-100', 206, '56789', 'bytes 5-9/10'],
  ['bytes=10-', 416, '', 'bytes */10'],
  ['bytes=0-1,4-5', 200, '0123456789'],
  ['lines=0-1', 200, '0123456789'],
  ['bytes=b-a', 200, '0123456789'],
  ['nonsense', 200, '0123456789'],
])('Range: %s', async (header, status, body, range) => {
  const { ask } = await stage()
  const heard = await ask(`/b/${build}/data.bin`, { range: header })
  expect([heard.status, heard.body.toString(), heard.headers['content-range']]).toEqual([status, body, range])
  expect(Number(heard.headers['content-length'])).toBe(body.length)
})

test('a range of another version is the whole', async () => {
  const { ask } = await stage()
  expect((await ask(`/b/${build}/data.bin`, { range: 'bytes=0-3', 'if-range': '"old"' })).status).toBe(200)
  expect((await ask(`/b/${build}/data.bin`, { range: 'bytes=0-3', 'if-range': '"e1"' })).status).toBe(206)
})

test('what an engine has compressed says so to those who take it', async () => {
  const { ask } = await stage()
  expect(await ask(`/b/${build}/game.js.br`, { 'accept-encoding': 'gzip, br' })).toMatchObject({
    body: compressed,
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'content-encoding': 'br', vary: 'Accept-Encoding' },
  })
  const plain = await ask(`/b/${build}/game.js.br`)
  expect(plain).toMatchObject({ body: compressed, headers: { 'content-type': 'application/octet-stream' } })
  expect(plain.headers['content-encoding']).toBeUndefined()
})

test.each<[headers: Record<string, string>, body: string, coding?: string]>([
  [{ 'accept-encoding': 'gzip, deflate, br, zstd' }, 'in br', 'br'],
  [{ 'accept-encoding': 'gzip, deflate' }, 'in gzip', 'gzip'],
  [{ 'accept-encoding': 'br;q=0, gzip' }, 'in gzip', 'gzip'],
  [{ 'accept-encoding': 'gzip, br', range: 'bytes=1-3' }, 'asm'],
  [{ 'accept-encoding': 'gzip, br', range: 'bytes=1-3', 'if-range': '"e1"' }, 'asm'],
  [{ 'accept-encoding': 'gzip, br', range: 'bytes=1-3', 'if-range': '"e1-br"' }, '\0asm as it is'],
  [{}, '\0asm as it is'],
])('what core has compressed: %o', async (headers, body, coding) => {
  const { ask } = await stage()
  const heard = await ask(`/b/${build}/app.wasm`, headers)
  expect(heard.body.toString()).toBe(body)
  const etag = coding === undefined ? '"e1"' : `"e1-${coding}"`
  expect(heard.headers).toMatchObject({
    etag,
    vary: 'Accept-Encoding',
    'content-type': 'application/wasm',
    'content-length': String(body.length),
  })
  expect(heard.headers['content-encoding']).toBe(coding)
  const again = { 'if-none-match': '"e1", "e1-br", "e1-gzip"'.replace(etag, '"x"') }
  expect((await ask(`/b/${build}/app.wasm`, { ...headers, 'if-none-match': etag })).status).toBe(304)
  expect((await ask(`/b/${build}/app.wasm`, { ...headers, ...again })).status).toBe(heard.status)
})

test.each([
  `br${' '.repeat(30_000)}x`,
  `br;${' ;'.repeat(15_000)}`,
  ','.repeat(30_000),
  `gzip;${' '.repeat(30_000)}q=1`,
])('an Accept-Encoding of 30 KB costs next to nothing', bestOfThree, async (header) => {
  const { ask } = await stage()
  const began = processorTime()
  await ask(`/b/${build}/game.js.br`, { 'accept-encoding': header })
  expect(processorTime() - began).toBeLessThan(100)
})

test('a desktop package is a download with its name', async () => {
  const { ask } = await stage()
  const path = `/d/${build}/${encodeURIComponent('Quiz "ä" 1.exe')}`
  expect(await ask(path, { range: 'bytes=1-' })).toMatchObject({
    status: 206,
    body: Buffer.from('Z'),
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="Quiz ___ 1.exe"; filename*=UTF-8''Quiz%20%22%C3%A4%22%201.exe`,
    },
  })
})

test.each([
  '/',
  '/b/',
  `/b/${other}/index.html`,
  `/b/${build}/../../files/x`,
  `/b/${build}/%2e%2e/x`,
  '/favicon.ico',
  `/b/${build}/none.js`,
])('%s is a page that says what to do', async (path) => {
  const { ask } = await stage()
  const heard = await ask(path)
  expect(heard).toMatchObject({
    status: 404,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; sandbox",
    },
  })
  expect(heard.body.toString()).toContain('start it again')
})

test('only reading, preflights included', async () => {
  const { ask } = await stage()
  expect(await ask(`/b/${build}/data.bin`, {}, 'PUT')).toMatchObject({
    status: 405,
    headers: { allow: 'GET, HEAD, OPTIONS' },
  })
  expect(await ask(`/b/${build}/data.bin`, {}, 'OPTIONS')).toMatchObject({
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-origin': '*',
      'access-control-allow-headers': expect.stringContaining('Authorization'),
    },
  })
})

test('a transfer coding that Node does not decode is refused', async () => {
  const { url } = await stage()
  const said = await rawRequest(
    url,
    'POST /healthz HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
  )
  expect(said).toMatch(/^HTTP\/1\.1 501 [^]*Transfer-Encoding: must be chunked/)
})

test('two Hosts are refused', async () => {
  const { url } = await stage()
  const said = await rawRequest(
    url,
    'GET /healthz HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\nConnection: close\r\n\r\n',
  )
  expect(said).toMatch(/^HTTP\/1\.1 400 [^]*host: this header must be given only once/i)
})

test('more cookies than the player reads are dropped by the browser', async () => {
  const { ask, url } = await stage()
  expect(await ask('/healthz', { cookie: 'x'.repeat(50_000) })).toMatchObject({
    status: 431,
    headers: { 'clear-site-data': '"cookies"', connection: 'close' },
  })
  // also on a connection that was used before
  const said = await rawRequest(
    url,
    `GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\nCookie: ${'x'.repeat(50_000)}\r\n\r\n`,
  )
  expect(said).toMatch(/^HTTP\/1\.1 200 /)
  expect(await rawRequest(url, 'NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
})

test('failures are 503, and no query reaches the log', async () => {
  const { ask, lines } = await stage(
    {},
    { launch: () => Promise.reject(new Error('core is away')), trouble: async () => 'core is not reached' },
  )
  expect((await ask(`/b/${build}/broken?auth=Bearer%20secret-token`)).status).toBe(503)
  expect((await ask(`/b/${build}/launch.json`, { authorization: `Bearer ${secret}` })).status).toBe(503)
  expect((await ask('/healthz')).status).toBe(200)
  expect(await ask('/readyz')).toMatchObject({
    status: 503,
    body: Buffer.from('{"status":"unavailable","reason":"core is not reached"}'),
  })
  expect(lines.join('')).toContain(`/b/${build}/broken`)
  expect(lines.join('')).not.toMatch(new RegExp(`secret-token|${secret}`))
})
