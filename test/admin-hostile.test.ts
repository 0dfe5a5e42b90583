import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { columnsOf, csvRow } from '../admin/csv.ts'
import { forTerminal, plain } from '../admin/plain.ts'
import { endAll, launch, temporaryFolder } from '../start/fixtures/launch.ts'
import { done, failed, run } from './support/admin.ts'
import { attachment, contentPart, jsonPart, multipart, multipartType, sha256 } from './support/attachments.ts'
import type { Game } from './support/games.ts'
import { player, statement, statements, verb, voiding, type Json } from './support/statements.ts'
import { startSystem, tokens, type System } from './support/system.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
})
afterAll(async () => {
  endAll()
  await system.close()
})

let game: Game
let folder: string
beforeEach(async () => {
  game = await system.game()
  folder = temporaryFolder()
})
const connected = () => ({ LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`, LRS_SERVICE_TOKEN: tokens.admin })
const admin = (...args: string[]) => run(args, { env: connected(), cwd: folder })
const escapes = '\u001b]0;title\u0007\u001b[2J\u009b31m\u202e'

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

test.each<[string, (response: ServerResponse) => void]>([
  ['text', (response) => void response.end('hello')],
  ['a redirect', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  [
    'what is no message',
    (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"games": 5}'),
  ],
  [
    'an error with escapes',
    (response) =>
      void response
        .writeHead(500, { 'content-type': 'application/json' })
        .end(JSON.stringify({ code: 'internal', message: escapes })),
  ],
])('a core that answers %s is told of in one line', async (_, answer) => {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const core = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await admin('games', 'list', '--core', core)).toEqual(
      failed(new RegExp(`^${core} answers, but not as a core of this version\\. `)),
    )
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

describe('secrets', () => {
  test('that are wrong are told apart: which token is meant', async () => {
    const { code, error } = await admin('statements', 'query', '--key', game.key, '--token', 'x'.repeat(24))
    expect([code, error]).toEqual([
      1,
      `The core at ${connected().LRS_CORE_URL} rejects the token of --token. It must be the admin token in ` +
        `LRS_SERVICE_TOKENS of core.`,
    ])
  })

  test('are refused where addresses are shown', async () => {
    expect(
      await admin(
        'statements',
        'import',
        '--key',
        'k',
        '--from',
        'https://key:hidden@lrs.example.org/xapi',
        '--auth',
        'a:b',
      ),
    ).toEqual(failed(/^--from must not contain a password\. Put key:secret into LRS_IMPORT_AUTH\.$/, 2))
    for (const { code, error } of [
      await admin('limits', '--core', 'https://me:hidden@core.example.org'),
      await run(['limits'], { env: { LRS_CORE_URL: 'https://me:hidden@core.example.org' } }),
    ]) {
      expect([code, error]).toEqual([
        2,
        expect.stringMatching(/^The address of core must not contain a password\. [^:]*$/),
      ])
    }
  })

  test('of this machine go to no other one', async () => {
    const LRS_DATA_DIR = folder
    writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ serviceTokens: { admin: tokens.admin } }))
    const port = system.cores[0]!.port
    expect((await run(['games', 'list', '--core', `http://localhost:${port}`], { env: { LRS_DATA_DIR } })).code).toBe(0)
    expect(await run(['games', 'list', '--core', `http://0.0.0.0:${port}`], { env: { LRS_DATA_DIR } })).toEqual(
      failed(
        /^There is no token for http:\/\/0\.0\.0\.0:\d+: set LRS_SERVICE_TOKEN, or store one with "profile add"\.$/,
        2,
      ),
    )
  })

  test('that go over a network in the clear are warned of', async () => {
    const port = system.cores[0]!.port
    expect((await admin('doctor', '--core', `http://0.0.0.0:${port}`)).out).toMatch(
      /^warning +way: the token and all responses travel to 0\.0\.0\.0 without encryption\n +→ Use https:/m,
    )
    expect((await admin('doctor', '--core', `http://localhost:${port}`)).out).not.toContain(' way:')
  })
})

describe('a terminal', () => {
  test('gets nothing that commands it; line ends and tabs stay', () => {
    expect(plain(`a\tb\n${escapes}`)).toBe('a\ufffdb\n\ufffd]0;title\ufffd\ufffd[2J\ufffd31m\ufffd')
    expect(forTerminal(`a\tb\r\nc\rd${escapes}`)).toBe('a\tb\r\nc\ufffdd\ufffd]0;title\ufffd\ufffd[2J\ufffd31m\ufffd')
  })

  const isThere = existsSync('/usr/bin/script') && process.platform === 'linux'
  test.runIf(isThere)('whatever is asked for; a file gets every byte', async () => {
    const one = statement({ actor: { name: `Eve${escapes}`, mbox: 'mailto:eve@example.org' } })
    await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify([one])) })
    const lines: string[][] = [
      ['query'],
      ['query', '--json'],
      ['query', '--id', one.id],
      ['export'],
      ['export', '--format', 'csv'],
    ]
    for (const line of lines) {
      const command =
        `'${process.execPath}' '${resolve(import.meta.dirname, '..', 'admin', 'main.ts')}' statements ` +
        [...line, '--key', game.key].join(' ')
      const shown = launch('script', ['-qec', command, '/dev/null'], {
        env: { PATH: process.env['PATH'], ...connected(), TERM: 'dumb' },
      })
      await shown.exited
      const text = shown.output().replaceAll('\r\n', '\n')
      expect(text, line.join(' ')).toContain('Eve')
      expect(text.replaceAll(/[\t\r]/g, ''), line.join(' ')).toBe(plain(text.replaceAll(/[\t\r]/g, '')))
    }
    expect(
      (await admin('statements', 'export', '--as', 'csv', '--columns', 'actor.name', '--key', game.key)).out,
    ).toContain(`Eve${escapes}`)
  })
})

test('cells that a spreadsheet would reckon with are text', () => {
  const cell = (response: unknown) =>
    csvRow(Buffer.from(JSON.stringify({ result: { response } })), columnsOf('result.response')).slice(0, -2)
  for (const formula of ['=1+1', '+1', '-1+cmd', '@sum(a1)', '\uff1d1+1', '\uff0b1'])
    expect(cell(formula)).toBe(`'${formula}`)
  for (const formula of ['\t=1', '\r=1', '\n=1']) expect(cell(formula)).toBe(`"'${formula}"`)
  expect([cell('a;=1'), cell('a,"=1"'), cell(-3), cell(true), cell('ann')]).toEqual([
    '"a;=1"',
    '"a,""=1"""',
    '-3',
    'true',
    'ann',
  ])
})

test('a file with what is no JSON: its place is told, or it is put aside', async () => {
  const lines = [
    Buffer.from(JSON.stringify(statement())),
    Buffer.from('{"a" 1}'),
    Buffer.from('{"a": "\xff"}', 'latin1'),
    Buffer.from('{"\\q": 1}'),
    Buffer.from('{"sha2" 1}'),
    Buffer.from(JSON.stringify(statement())),
  ]
  writeFileSync(join(folder, 'bad.ndjson'), Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])))
  expect(await admin('statements', 'import', 'bad.ndjson', '--key', game.key)).toEqual(
    failed(/^Statement 2 is refused: must be JSON in UTF-8 \(--rejects/),
  )
  expect(
    await admin('statements', 'import', 'bad.ndjson', '--key', game.key, '--rejects', 'r', '--attachments', '.'),
  ).toEqual(done('2 statements were stored, 0 were there already, 4 were put aside.'))
  expect(
    readFileSync(join(folder, 'r'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(
    ['"a" 1}', '"a": "\ufffd"}', '"\\q": 1}', '"sha2" 1}'].map((end) => ({
      refused: 'must be JSON in UTF-8',
      text: expect.stringContaining(end),
    })),
  )
  expect(await admin('statements', 'import', 'bad.ndjson', '--key', 'nobody')).toEqual(
    failed(/^There is no valid credential with this key: "games list" shows the keys\.$/),
  )
})

test.runIf(existsSync('/dev/full'))('what cannot be written is told', async () => {
  const full = launch('bash', ['-c', `'${process.execPath}' admin/main.ts limits > /dev/full`], {
    env: { PATH: process.env['PATH'], ...connected() },
  })
  expect([await full.exited, full.output().trim()]).toEqual([1, 'The output cannot be written: the disk is full.'])
})

test('what is written to files is told to programs', async () => {
  await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(statements(2))) })
  expect(JSON.parse((await admin('statements', 'export', '--key', game.key, '--out', 'all', '--json')).out)).toEqual({
    file: 'all',
    added: 2,
    statements: 2,
  })
  expect(
    JSON.parse((await admin('learners', 'export', 'nobody@example.org', '--out', 'nobody', '--json')).out),
  ).toEqual({ file: 'nobody', statements: 0, documents: 0 })
})

describe('an archive that no backup has made', () => {
  const end = Buffer.alloc(1024)
  type Type = 'file' | 'directory' | 'symlink' | 'character-device'
  async function entry(name: string, content = '', type: Type = 'file'): Promise<Buffer> {
    const archive = pack()
    archive.entry({ name, type, mode: 0o6755, size: content.length, linkname: 'elsewhere' }, content)
    archive.finalize()
    return (await buffer(archive)).subarray(0, -end.length)
  }
  /** The same with another text in a field of its header, and the sum that belongs to it. */
  async function changed(made: Promise<Buffer>, at: number, text: string): Promise<Buffer> {
    const bytes = await made
    bytes.write(text, at, 'latin1')
    const sum = bytes
      .subarray(0, 512)
      .fill(' ', 148, 156)
      .reduce((sum, byte) => sum + byte, 0)
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return bytes
  }
  const manifest = (json: string) => entry('manifest.json', json)

  test.each<[string, Promise<Buffer>[], RegExp]>([
    [
      'climbs',
      [entry('postgres/../../out', 'x')],
      /^The archive contains "postgres\/\.\.\/\.\.\/out", which a backup never does\.$/,
    ],
    ['climbs by a long name', [entry(`postgres/${'a/'.repeat(60)}../../../out`, 'x')], /which a backup never does\.$/],
    [
      'begins at the root',
      [entry('/etc/passwd', 'x')],
      /^The archive contains "\/etc\/passwd", which a backup never does\.$/,
    ],
    [
      'holds a link',
      [entry('storage/link', '', 'symlink')],
      /^"storage\/link" in the archive is neither a file nor a folder\.$/,
    ],
    ['holds a device', [entry('storage/device', '', 'character-device')], /is neither a file nor a folder\.$/],
    [
      'holds a folder for secrets',
      [entry('secrets.json/', '', 'directory')],
      /^The archive contains "secrets\.json\/", which a backup never does\.$/,
    ],
    [
      'holds a file for a folder',
      [entry('storage', 'x')],
      /^The archive contains "storage" as a file, which a backup never does\.$/,
    ],
    [
      'holds a file twice',
      [entry('storage/a', 'x'), entry('storage/a', 'y')],
      /storage\.restoring\/a exists already\.$/,
    ],
    [
      'has no size',
      [changed(entry('postgres/PG_VERSION'), 124, 'x'.repeat(11))],
      /archive\.tar\.gz is damaged, or not an archive/,
    ],
    [
      'holds more than fits on the disk',
      [changed(entry('storage/a'), 124, '\x80\0\0\0\0\x04\0\0\0\0\0\0')],
      /^.*archive\.tar\.gz holds more than the disk has room for\. Nothing was changed\.$/,
    ],
    ['has no manifest', [entry('postgres/PG_VERSION', '18')], /has no manifest: /],
    [
      'has a manifest that is none',
      [manifest('{')],
      /^The manifest of the archive is damaged\. Nothing was changed\.$/,
    ],
    ['has a manifest of nothing', [manifest('{"format": 1}')], /has no manifest: /],
    ['has a manifest of null', [manifest('null')], /has no manifest: /],
    [
      'goes on after the manifest',
      [manifest('{"format": 1, "files": []}'), entry('storage/a', 'x')],
      /^The archive contains "storage\/a" after its manifest\.$/,
    ],
    [
      'says less than it holds',
      [entry('storage/a', 'x'), manifest('{"format": 1, "files": []}')],
      /contains files that its manifest does not name\. Nothing was changed\.$/,
    ],
    ['holds no database', [manifest('{"format": 1, "files": []}')], /contains no database\. Nothing was changed\.$/],
  ])('and %s is refused, and nothing is left of it', async (_, entries, why) => {
    const archive = join(folder, 'archive.tar.gz')
    writeFileSync(archive, gzipSync(Buffer.concat([...(await Promise.all(entries)), end])))
    const data = join(folder, 'data')
    expect(await run(['restore', archive], { env: { LRS_DATA_DIR: data } })).toEqual(failed(why))
    expect(execFileSync('find', [folder, '-type', 'f'], { encoding: 'utf8' }).trim()).toBe(archive)
  })
})
