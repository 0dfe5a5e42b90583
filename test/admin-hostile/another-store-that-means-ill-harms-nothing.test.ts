import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { plain } from '../../admin/plain.ts'
import { done, failed, run } from '../support/admin.ts'
import { attachment, contentPart, jsonPart, multipart, multipartType, sha256 } from '../support/attachments.ts'
import { player, statement, statements, verb, voiding, type Json } from '../support/statements.ts'
import { startAdminSystem, type AdminSystem, type OwnOfTest } from '../support/admin-system.ts'
import { escapes } from './escapes.ts'

let { connected, next, close } = {} as AdminSystem
let { game, folder } = {} as OwnOfTest
beforeAll(async () => {
  ;({ connected, next, close } = await startAdminSystem({ gateways: 0 }))
})
afterAll(() => close())
beforeEach(async () => {
  ;({ game, folder } = await next())
})

describe('another store that means ill', () => {
  const closing: (() => void)[] = []
  afterEach(() => closing.splice(0).forEach((close) => close()))

  /** A store whose n-th answer is of `answer`; knows who asked. */
  async function store(answer: (n: number, response: ServerResponse, request: IncomingMessage, url: string) => void) {
    const asked: IncomingMessage[] = []
    const server = createServer((request, response) => answer(asked.push(request) - 1, response, request, url)).listen(
      0,
      '127.0.0.1',
    )
    await once(server, 'listening')
    closing.push(() => (server.closeAllConnections(), server.close()))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { url, asked }
  }
  const page = (response: ServerResponse, all: Json[], more = '') =>
    void response.end(JSON.stringify({ statements: all, more }))
  const importFrom = (url: string, ...args: string[]) =>
    run(['statements', 'import', '--key', game.key, '--from', `${url}/xapi`, ...args], {
      env: { ...connected(), LRS_IMPORT_AUTH: 'key:the-secret' },
      cwd: folder,
    })
  const countHere = async () => (await game.rpc().statements.queryStatements({ limit: 500 })).json.length

  test('gets its credential to no other one: neither by redirects nor by more', async () => {
    const other = await store((_, response) => page(response, []))
    const ways: ((response: ServerResponse, n: number, own: string) => void)[] = [
      (response) => void response.writeHead(302, { location: `${other.url}/xapi/statements` }).end(),
      (response, n, own) => void response.writeHead(307, { location: n === 0 ? `${own}/elsewhere` : other.url }).end(),
      (response) => page(response, [], `${other.url}/xapi/statements?more`),
      (response) => page(response, [], `//${other.url.slice(7)}/more`),
    ]
    for (const way of ways) {
      const ill = await store((n, response, _, own) => way(response, n, own))
      expect(await importFrom(ill.url)).toEqual(
        failed(
          /^The other store redirects to another origin, http:\/\/127\.0\.0\.1:\d+\. If you trust it with the credential, name it with --from\.$/,
        ),
      )
    }
    expect(other.asked).toEqual([])
    const file = await store((_, response) => page(response, [], 'file:///etc/passwd'))
    expect(await importFrom(file.url)).toEqual(failed(/^The other store redirects to another origin, null\. /))
  })

  test('is followed within itself, with the credential', async () => {
    const [one] = statements(1)
    const moved = await store((_, response, request) =>
      request.url!.startsWith('/new')
        ? page(response, [one])
        : void response.writeHead(308, { location: `/new${request.url}` }).end(),
    )
    expect(await importFrom(moved.url)).toEqual(done('1 statement was stored, 0 were there already.'))
    expect(moved.asked.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill(`Basic ${btoa('key:the-secret')}`),
    )
  })

  test('that goes round in circles is left: what it had is here', async () => {
    const many = statements(3)
    const ways: [(n: number, response: ServerResponse) => void, RegExp][] = [
      [(_, response) => page(response, many, '/xapi/more'), /^The other store names pages without end\. /],
      [
        (n, response) => page(response, [many[n % 3]], `/xapi/more?page=${n % 3}`),
        /^The other store names pages without end\. /,
      ],
      [(n, response) => page(response, [], `/xapi/more?page=${n}`), /^The other store names pages without end\. /],
      [
        (n, response) =>
          n % 2 === 0 ? page(response, many, `/xapi/more?page=${n}`) : void response.writeHead(404).end(),
        /^The other store does not find the next page that it named itself/,
      ],
      [
        (n, response) => void response.writeHead(302, { location: `/${n}` }).end(),
        /^The other store redirects too often\.$/,
      ],
    ]
    for (const [n, [way, why]] of ways.entries()) {
      const ill = await store(way)
      expect(await importFrom(ill.url, '--state', `${n}.json`)).toEqual(failed(why))
      expect(ill.asked.length).toBeLessThan(110)
    }
    expect(await countHere()).toBe(3)
  })

  test.each<[string, string, RegExp]>([
    ['a page for people', '<html>', /^The other server is not an xAPI store: it sends no JSON\.$/],
    ['a list', '[]', /^The other server is not an xAPI store: a page has no statements\.$/],
    ['nothing', 'null', /^The other server is not an xAPI store: a page has no statements\.$/],
    [
      'a number of statements',
      '{"statements": 5}',
      /^The other server is not an xAPI store: a page has no statements\.$/,
    ],
    [
      'statements that are none',
      '{"statements": [null]}',
      /^The other store sends statements that are not JSON objects\.$/,
    ],
    [
      'statements twice',
      '{"statements": "},{", "statements": [{}]}',
      /^The other store sends statements that are not JSON objects\.$/,
    ],
    ['half a page', '{"statements": [{"id": ', /^The other server is not an xAPI store: it sends no JSON\.$/],
    ['no address', '{"statements": [], "more": "http://["}', /^The other store names an invalid URL: http:\/\/\[$/],
    [
      'a statement that is none',
      '{"statements": [{"a": 1}]}',
      /^Statement 1 is refused: .* \(--rejects <file> saves such statements there and continues\)$/,
    ],
  ])('that answers %s is told of in one line', async (_, body, why) => {
    const ill = await store((_, response) => void response.end(body))
    expect(await importFrom(ill.url)).toEqual(failed(why))
  })

  test('cannot write to the terminal by what it says', async () => {
    const ill = await store((_, response) => void response.writeHead(403).end(`no ${escapes}${'x'.repeat(5000)}`))
    const { error, code } = await importFrom(ill.url)
    expect([code, error]).toEqual([
      1,
      expect.stringMatching(/^127\.0\.0\.1:\d+ refuses the credential \(403\)\. Check --auth or LRS_IMPORT_AUTH\. no /),
    ])
    expect(error).toBe(plain(error))
    expect(error.length).toBeLessThan(400)
  })

  test('cannot leave its folder by the names of contents, nor pass on what is not what its hash says', async () => {
    const content = Buffer.from('replay')
    const send = (hash: string, bytes: Buffer) => (_n: number, response: ServerResponse) => {
      const body = multipart([
        jsonPart({ statements: [statement({ attachments: [attachment(content)] })], more: '' }),
        contentPart(bytes, { 'x-experience-api-hash': hash }),
      ])
      response.writeHead(200, { 'content-type': multipartType }).end(body)
    }
    const away = await store(send('../../../outside', content))
    expect(await importFrom(away.url, '--state', 'a.json')).toEqual(
      done('1 statement was stored, 0 were there already.'),
    )
    const changed = await store(send(sha256(content), Buffer.from('malign')))
    expect(await importFrom(changed.url, '--state', 'b.json')).toEqual(
      failed(/^The content of the attachment [0-9a-f]{64} does not match its hash: it was changed in transit\.$/),
    )
  })

  /** Pages as Learning Locker writes them: lengths of JSON in characters, and no line end before the last boundary. */
  const learningLocker = (contents: readonly Buffer[], { last = `--${mark}--` } = {}) => {
    const one = statement({ actor: player('Zoë 🦊'), attachments: contents.map((content) => attachment(content)) })
    const json = JSON.stringify({ statements: [one], more: '' })
    const head = (length: number, header: string) => `\r\n--${mark}\r\nContent-Length:${length}\r\n${header}\r\n\r\n`
    const parts = contents.flatMap((content) => [
      head(content.length, `X-Experience-API-Hash:${sha256(content)}`),
      content,
      '\r\n',
    ])
    const first = head(json.length, 'Content-Type:application/json; charset=UTF-8')
    return Buffer.concat([first, json, ...parts, last].map((piece) => Buffer.from(piece as string)))
  }
  const mark = 'zzzlearninglockerzzz'
  const replay = Buffer.from(`a\r\n--${mark}--\r\nb\r\n`)

  test.each<[string, Buffer[], object]>([
    ['without contents', [], {}],
    ['with a line end after all', [], { last: `--${mark}--\r\n` }],
    ['with contents, one of them with the boundary in it', [replay, Buffer.from('two'), Buffer.alloc(0)], {}],
  ])('that has pages of Learning Locker, %s, is imported', async (_, contents, how) => {
    const locker = await store((_, response) => {
      const body = learningLocker(contents, how)
      response.writeHead(200, { 'content-type': `multipart/mixed; charset=UTF-8; boundary=${mark}` })
      // in two pieces, the last boundary cut in the middle
      response.write(body.subarray(0, -9))
      setTimeout(() => response.end(body.subarray(-9)), 20)
    })
    expect(await importFrom(locker.url)).toEqual(done('1 statement was stored, 0 were there already.'))
    const { json, attachments } = await game.rpc().statements.queryStatements({ attachments: true })
    expect(JSON.parse(Buffer.from(json[0]!).toString()).actor).toEqual(player('Zoë 🦊'))
    expect(attachments.map(({ sha2 }) => sha2).sort()).toEqual(contents.map((content) => sha256(content)).sort())
  })

  test('that leaves out the last boundary is named with the option that helps, as a fault of its own', async () => {
    const locker = await store((_, response) => {
      response
        .writeHead(200, { 'content-type': `multipart/mixed; boundary=${mark}` })
        .end(learningLocker([], { last: '' }))
    })
    expect(await importFrom(locker.url)).toEqual(
      failed(
        /^The response of the other store ends without the last boundary of its multipart\/mixed\. Try --no-attachments/,
        3,
      ),
    )
    expect(locker.asked).toHaveLength(3)
  })

  test('answers for a voided statement what is none', async () => {
    const ill = await store((n, response) =>
      n === 0 ? page(response, [voiding(crypto.randomUUID())]) : void response.end('[{},{}]'),
    )
    expect(await importFrom(ill.url)).toEqual(failed(/^The other store returned no statement for [0-9a-f-]{36}\.$/))
  })

  test('changes what it said before: what is here stays, and is named, for programs too', async () => {
    const [one] = statements(1)
    let now = one
    const ill = await store((_, response) => page(response, [now]))
    expect((await importFrom(ill.url)).code).toBe(0)
    now = { ...one, verb: verb('lost') }
    const { code, out, error } = await importFrom(ill.url, '--json')
    expect([code, error]).toEqual([
      1,
      expect.stringContaining(`1 exists with different content and stays unchanged: ${one.id}`),
    ])
    expect(JSON.parse(out)).toMatchObject({ stored: 0, conflicts: 1, conflictIds: [one.id] })
  })
})
