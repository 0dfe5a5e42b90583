import { createPrivateKey, randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { CompactSign } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { multipartCases, multipartType } from './cases/multipart.ts'
import { attachment, contentPart, jsonPart, multipart, partsOf, sha256, signatureType } from './support/attachments.ts'
import type { Game } from './support/games.ts'
import { statement, voiding } from './support/statements.ts'
import { startSystem, type System } from './support/system.ts'
import type { Query, Reply } from './support/xapi.ts'

let system: System
let game: Game
beforeAll(async () => {
  system = await startSystem({ cores: 2 })
  game = await system.game()
})
afterAll(() => system.close())

const post = (body: Buffer | string, type = multipartType, version?: string): Promise<Reply> =>
  game.xapi(0, version).post(body, { 'content-type': type })
const send = (sent: unknown, ...contents: (Buffer | string)[]) =>
  post(multipart([jsonPart(sent), ...contents.map((content) => contentPart(content))]))

async function read(query: Query) {
  const { status, headers, bytes } = await game.xapi().get({ ...query, attachments: true })
  expect(status).toBe(200)
  expect(headers.get('content-length')).toBe(String(bytes.length))
  const [first, ...contents] = partsOf(headers.get('content-type'), bytes)
  expect(first!.headers).toEqual({ 'content-type': 'application/json' })
  return { json: JSON.parse(String(first!.content)), contents }
}

describe.each(['1.0.3', '2.0.0'])('requests with attachments, version %s', (version) => {
  for (const [n, { requirement, about, type, body, refused }] of multipartCases.entries())
    // one reader serves both versions
    test(`${requirement}: ${about}`, { tags: version === '1.0.3' || n % 4 === 0 ? [] : 'long' }, async () => {
      const { status, text } = await post(body(), type, version)
      expect(status, text).toBe(refused ? 400 : 200)
      if (refused) expect(JSON.parse(text).message).toMatch(refused)
      else expect(JSON.parse(text)).toBeInstanceOf(Array)
    })

  test('PUT takes them too', async () => {
    const id = randomUUID()
    const body = multipart([jsonPart(statement({ id, attachments: [attachment('put')] })), contentPart('put')])
    const { status } = await game
      .xapi(0, version)
      .request('PUT', 'statements', { query: { statementId: id }, body, headers: { 'content-type': multipartType } })
    expect(status).toBe(204)
    expect((await read({ statementId: id })).contents).toMatchObject([{ content: Buffer.from('put') }])
  })
})

describe('signed statements (XAPI-00115, XAPI-00116, XAPI-00117)', () => {
  const { key, signer, studio } = JSON.parse(
    readFileSync(new URL('cases/signatures/certificates.json', import.meta.url), 'utf8'),
  )
  const signatureOf = (payload: unknown, alg = 'RS256') =>
    new CompactSign(Buffer.from(JSON.stringify(payload)))
      .setProtectedHeader({ alg, x5c: [signer, studio] })
      .sign(createPrivateKey(key))
  const signed = (one: object, jws: string, over = {}) => ({
    ...one,
    attachments: [attachment(jws, { usageType: signatureType, ...over })],
  })

  test.each(['RS256', 'RS384', 'RS512'])('%s is accepted, and the signature comes back', async (alg) => {
    const one = statement({ result: { duration: 'PT1.5S' } })
    const jws = await signatureOf(one, alg)
    expect((await send(signed(one, jws), jws)).status).toBe(200)
    expect((await read({ statementId: one.id })).contents).toMatchObject([{ content: Buffer.from(jws) }])
  })

  test('a signature of something else, another type, or no content is 400', async () => {
    const one = statement()
    const jws = await signatureOf(one)
    const replies = [
      await send(signed(statement(), jws), jws),
      await send(signed({ ...one, result: { success: true } }, jws), jws),
      await send(signed(one, jws, { contentType: 'text/plain; charset=ascii' }), jws),
      await send(signed(one, jws, { fileUrl: 'https://f.example.org/jws' })),
      await post(JSON.stringify(signed(one, jws, { fileUrl: 'https://f.example.org/jws' })), 'application/json'),
      await send(signed(one, `${jws.slice(0, -6)}AAAAAA`), `${jws.slice(0, -6)}AAAAAA`),
      await send(signed(one, 'no JWS'), 'no JWS'),
    ]
    expect(replies.map(({ status }) => status)).toEqual(Array(replies.length).fill(400))
    for (const { json } of replies) expect(json.path).toMatch(/^attachments\[0\]/)
    expect((await game.xapi().get({ statementId: one.id })).status).toBe(404)
  })

  test('with a launch token the statement of the learner is what has to be signed', async () => {
    const mine = statement({ actor: { objectType: 'Agent', mbox: 'mailto:ada@example.org' } })
    const session = game.xapi().as(await game.launch(mine.actor))
    const other = { ...mine, id: randomUUID(), actor: { mbox: 'mailto:eve@example.org' } }
    for (const [one, status] of [
      [mine, 200],
      [other, 400],
    ] as const) {
      const jws = await signatureOf(one)
      const body = multipart([jsonPart(signed(one, jws)), contentPart(jws)])
      expect((await session.post(body, { 'content-type': multipartType })).status).toBe(status)
    }
  })
})

describe('what is read with attachments=true (XAPI-00154, XAPI-00161)', () => {
  test('is each content once, with its headers; without the parameter JSON alone', async () => {
    const photo = randomBytes(300_000)
    const sent = [
      statement({
        attachments: [attachment('moves', { contentType: 'text/plain; charset=utf-8' }), attachment(photo)],
      }),
      statement({ attachments: [attachment(photo), attachment('elsewhere', { fileUrl: 'https://f.example.org/1' })] }),
    ]
    expect((await send(sent, photo, 'moves')).status).toBe(200)
    const { json, contents } = await read({ limit: 2 })
    expect(json.statements.map(({ id }: { id: string }) => id)).toEqual([sent[1].id, sent[0].id])
    const byHash = new Map(contents.map((part) => [part.headers['x-experience-api-hash'], part]))
    expect([...byHash.keys()].sort()).toEqual([sha256('moves'), sha256(photo)].sort())
    expect(contents).toHaveLength(2)
    expect(byHash.get(sha256('moves'))).toEqual({
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'content-transfer-encoding': 'binary',
        'x-experience-api-hash': sha256('moves'),
      },
      content: Buffer.from('moves'),
    })
    expect(byHash.get(sha256(photo))!.content.equals(photo)).toBe(true)
    for (const attachments of [undefined, false]) {
      const { headers, json } = await game.xapi().get({ statementId: sent[0].id, attachments })
      expect(headers.get('content-type')).toBe('application/json')
      expect(json.attachments).toEqual(sent[0].attachments)
    }
  })

  test('is multipart without any attachment, and of one voided statement', async () => {
    const plain = statement()
    const attached = statement({ attachments: [attachment('voided')] })
    await send([plain, attached], 'voided')
    await game.xapi().post(voiding(attached.id))
    expect(await read({ statementId: plain.id })).toMatchObject({ json: { id: plain.id }, contents: [] })
    expect((await read({ voidedStatementId: attached.id })).contents).toMatchObject([
      { content: Buffer.from('voided') },
    ])
    expect((await read({ registration: randomUUID() })).json).toEqual({ statements: [], more: '' })
  })

  test('goes on in the pages after the first', async () => {
    const registration = randomUUID()
    await send(
      [1, 2, 3].map((n) => statement({ context: { registration }, attachments: [attachment(`page ${n}`)] })),
      'page 1',
      'page 2',
      'page 3',
    )
    const { json, contents } = await read({ registration, limit: 2 })
    expect(contents.map(({ content }) => String(content)).sort()).toEqual(['page 2', 'page 3'])
    const { headers, bytes } = await game.xapi().request('GET', json.more)
    expect(String(partsOf(headers.get('content-type'), bytes)[1]!.content)).toBe('page 1')
  })

  test('HEAD tells the same length', async () => {
    const one = statement({ attachments: [attachment('for HEAD')] })
    await send(one, 'for HEAD')
    const { bytes } = await game.xapi().get({ statementId: one.id, attachments: true })
    const {
      status,
      headers,
      bytes: none,
    } = await game.xapi().request('HEAD', 'statements', { query: { statementId: one.id, attachments: true } })
    expect([status, headers.get('content-length'), none.length]).toEqual([200, String(bytes.length), 0])
    expect(headers.get('content-type')).toMatch(/^multipart\/mixed; boundary=/)
    expect(headers.get('x-experience-api-consistent-through')).toMatch(/Z$/)
  })
})

describe('bounds', () => {
  const MiB = 1024 * 1024

  test('30 MB there and back, byte for byte', async () => {
    const film = randomBytes(30 * MiB)
    const one = statement({ attachments: [attachment(film)] })
    expect((await send(one, film)).status).toBe(200)
    const { contents } = await read({ statementId: one.id })
    expect(contents[0]!.content.equals(film)).toBe(true)
  })

  test.each([
    ['with Content-Length', false],
    ['chunked', true],
  ])('a request over the maximum is 413, %s', async (_how, chunked) => {
    const film = Buffer.alloc(33 * MiB)
    const whole = multipart([jsonPart(statement({ attachments: [attachment(film)] })), contentPart(film)])
    const body = chunked ? new Blob([new Uint8Array(whole)]).stream() : whole
    const reply = await game
      .xapi()
      .request('POST', 'statements', { body, headers: { 'content-type': multipartType } })
      .catch((error: Error) => error)
    // a client that goes on sending may see the connection end before it reads the answer
    if (reply instanceof Error) expect(chunked || String(reply.cause)).toBeTruthy()
    else expect([reply.status, reply.json]).toEqual([413, { error: 'Request body too large' }])
  })

  test('2 MiB of statements are one thing, attachments another', async () => {
    const big = Buffer.alloc(3 * MiB, 1)
    expect((await send(statement({ attachments: [attachment(big)] }), big)).status).toBe(200)
    const { status, json } = await send(statement({ result: { response: 'x'.repeat(2 * MiB) } }))
    expect([status, json]).toEqual([413, { error: 'Request body too large' }])
  })

  test('wrong statements are refused before their attachments have come', async () => {
    const whole = multipart([
      jsonPart({ ...statement({ attachments: [attachment('late')] }), verb: {} }),
      contentPart('late'),
    ])
    const reply = await new Promise<string>((resolve, reject) => {
      const url = new URL('/xapi/statements', system.urls[0])
      const headers = {
        authorization: game.authorization,
        'x-experience-api-version': '1.0.3',
        'content-type': multipartType,
        'content-length': whole.length,
      }
      const asked = request(url, { method: 'POST', headers }, (response) => {
        response.once('data', (chunk) => {
          resolve(`${response.statusCode} ${chunk}`)
          asked.destroy()
        })
      })
      asked.on('error', reject)
      asked.write(whole.subarray(0, whole.indexOf('late')))
    })
    expect(reply).toMatch(/^400 .*verb\.id/)
  })

  test('a client that goes away half-way leaves nothing', async () => {
    const film = randomBytes(2 * MiB)
    const one = statement({ attachments: [attachment(film)] })
    const whole = multipart([jsonPart(one), contentPart(film)])
    const abort = new AbortController()
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(whole.subarray(0, whole.length - 10_000))
        await expect.poll(() => system.database.sql('select id from attachment where sha2 is null')).toHaveLength(1)
        abort.abort()
      },
    })
    await expect(
      game
        .xapi()
        .request('POST', 'statements', { body, headers: { 'content-type': multipartType }, signal: abort.signal }),
    ).rejects.toThrow()
    await expect.poll(() => system.database.sql('select id from attachment where sha2 is null')).toEqual([])
    expect((await game.xapi().get({ statementId: one.id })).status).toBe(404)
  })

  test('a client that goes away while it reads does no harm', async () => {
    const film = randomBytes(8 * MiB)
    const one = statement({ attachments: [attachment(film)] })
    await send(one, film)
    const url = new URL(`/xapi/statements?attachments=true&statementId=${one.id}`, system.urls[0])
    for (let n = 0; n < 5; n++) {
      await new Promise<void>((resolve, reject) => {
        const asked = request(
          url,
          { headers: { authorization: game.authorization, 'x-experience-api-version': '1.0.3' } },
          (response) => {
            response.once('data', () => response.destroy())
            response.once('close', resolve)
          },
        )
        asked.once('error', reject).end()
      })
    }
    expect((await read({ statementId: one.id })).contents[0]!.content.equals(film)).toBe(true)
  })

  test.each([
    ['no credential', {}, 401],
    ['no version', { 'x-experience-api-version': undefined }, 400],
    ['gzip', { 'content-encoding': 'gzip' }, 415],
  ])('%s', async (what, headers, status) => {
    const client = what === 'no credential' ? game.xapi().as('Basic eDp5') : game.xapi()
    expect(
      (await client.post(multipart([jsonPart(statement())]), { 'content-type': multipartType, ...headers })).status,
    ).toBe(status)
  })
})
