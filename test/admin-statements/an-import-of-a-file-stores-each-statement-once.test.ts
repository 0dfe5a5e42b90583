import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { done, failed, run } from '../support/admin.ts'
import { attachment, contentPart, jsonPart, multipart, multipartType, sha256 } from '../support/attachments.ts'
import { statement, statements, verb } from '../support/statements.ts'
import { startAdminSystem, type AdminSystem, type OwnOfTest } from '../support/admin-system.ts'
import { linesOf, bodiesOf } from './statements.ts'

let { admin, next, close } = {} as AdminSystem
let { game, folder } = {} as OwnOfTest
let other: AdminSystem
beforeAll(async () => {
  ;[{ admin, next, close }, other] = await Promise.all([startAdminSystem(), startAdminSystem()])
})
afterAll(() => Promise.all([close(), other.close()]))
beforeEach(async () => {
  ;({ game, folder } = await next())
})

describe('import from a file', () => {
  const target = async () => ({ ...(await other.system.game()) })
  const into = (key: string, ...args: string[]) =>
    run(['statements', 'import', '--key', key, ...args], { env: other.connected(), cwd: folder })

  test('of an export: bodies byte for byte, contents of attachments too, and again: nothing twice', async () => {
    const content = Buffer.from('replay '.repeat(40_000))
    const body = multipart([jsonPart(statement({ attachments: [attachment(content)] })), contentPart(content)])
    expect(
      (await game.xapi().request('POST', 'statements', { body, headers: { 'content-type': multipartType } })).status,
    ).toBe(200)
    await game
      .xapi()
      .post(
        '{"actor":{"mbox":"mailto:a@example.org"}, "verb":{"id":"https://v.example"},"object":{"id":"https://o.example"},"result":{"extensions":{"https://e.example":1.10e2}}}',
      )
    await game.xapi().post(statements(250))
    expect(
      (await admin('statements', 'export', '--key', game.key, '--gzip', '--out', 'all.gz', '--attachments', 'contents'))
        .code,
    ).toBe(0)
    expect(readdirSync(join(folder, 'contents'))).toEqual([sha256(content)])
    const there = await target()
    expect(await into(there.key, 'all.gz', '--attachments', 'contents')).toEqual(
      done('252 statements were stored, 0 were there already.'),
    )
    expect(await bodiesOf(there)).toEqual(await bodiesOf(game))
    expect(await into(there.key, 'all.gz', '--attachments', 'contents', '--json')).toEqual(
      done(expect.stringContaining('"skipped": 252')),
    )
    const found = await there.xapi().get({ attachments: true, limit: 500 })
    expect(found.bytes.includes(content)).toBe(true)
  })

  test('an array, text after it, a cut, no JSON, statements without ids', async () => {
    const there = await target()
    const { id: _, ...anonymous } = statement()
    writeFileSync(join(folder, 'list.json'), `\ufeff[\n ${JSON.stringify(anonymous)} , ${JSON.stringify(anonymous)}]\n`)
    expect(await into(there.key, 'list.json')).toEqual(done('2 statements were stored, 0 were there already.'))
    expect(await into(there.key, 'list.json')).toEqual(done('0 statements were stored, 2 were there already.'))
    writeFileSync(join(folder, 'cut.json'), `[${JSON.stringify(statement())}, {"id":`)
    expect(await into(there.key, 'cut.json')).toEqual(failed(/^The input is cut off in record 2\.$/))
    writeFileSync(join(folder, 'page.html'), '<html>')
    expect(await into(there.key, 'page.html')).toEqual(failed(/^The input does not begin with a JSON object\. /))
    const zipped = gzipSync(`${JSON.stringify(statement())}\n`)
    writeFileSync(join(folder, 'cut.gz'), zipped.subarray(0, zipped.length - 12))
    expect(await into(there.key, 'cut.gz')).toEqual(
      failed(/cut\.gz is damaged: it cannot be decompressed completely\.$/),
    )
    expect(await into(there.key, 'no-such-file')).toEqual(failed(/no-such-file does not exist\.$/))
    writeFileSync(join(folder, 'empty'), '')
    expect(await into(there.key, 'empty')).toEqual(
      done('0 statements were stored, 0 were there already.', 'empty holds no statements.'),
    )
    expect(await into(there.key, 'list.json', '--attachments', 'empty')).toEqual(
      failed(/^empty is not a folder\. --attachments names/),
    )
    expect(await into(there.key, 'list.json', '--attachments', 'away')).toEqual(failed(/^away does not exist\.$/))
    expect(await into(there.key, '.')).toEqual(failed(/is a folder\. Name a file\.$/))
    expect(
      await run(['statements', 'import', '-', '--key', there.key], {
        env: other.connected(),
        input: JSON.stringify(statement()),
      }),
    ).toEqual(done('1 statement was stored, 0 were there already.'))
  })

  test('what is refused is named by its place, or put aside; another content stands in the way', async () => {
    const there = await target()
    const good = statements(3)
    const lines = [
      good[0],
      { ...statement(), verb: 'won' },
      good[1],
      { ...statement(), actor: undefined },
      good[2],
    ].map((one) => JSON.stringify(one))
    writeFileSync(join(folder, 'mixed.ndjson'), lines.join('\n'))
    expect(await into(there.key, 'mixed.ndjson')).toEqual(
      failed(
        /^Statement 2 is refused: verb: must be a Verb.* \(--rejects <file> saves such statements there and continues\)$/,
      ),
    )
    expect(await into(there.key, 'mixed.ndjson', '--rejects', 'refused.ndjson')).toEqual(
      done('3 statements were stored, 0 were there already, 2 were put aside.'),
    )
    expect(
      linesOf(readFileSync(join(folder, 'refused.ndjson'), 'utf8')).map(({ statement }) => JSON.stringify(statement)),
    ).toEqual([lines[1], lines[3]])
    writeFileSync(join(folder, 'changed.ndjson'), JSON.stringify({ ...good[0], verb: verb('lost') }))
    expect(await into(there.key, 'changed.ndjson')).toEqual(
      failed(
        new RegExp(
          `^0 statements were stored, but 1 exists with different content and stays unchanged: ${good[0].id}$`,
        ),
      ),
    )
  })

  const faulty = [
    { ...statement(), actor: { name: 'Ann' } },
    { ...statement(), verb: { id: 'won' }, object: { id: 'Level 1' } },
    statement({ result: { success: 'False', completion: 'true', score: { raw: '17' } } }),
    statement({ result: { extensions: { progress: 0.5 } } }),
    statement({ timestamp: '2016-03-01T10:00:00' }),
    statement({ timestamp: '2016-03-02 10:00:00' }),
    { ...statement({ timestamp: '2016-03-03' }), id: undefined },
    statement({ result: { success: 'maybe' } }),
    statement(),
  ]

  test('--repair: each fault that is clear, each told; again: nothing twice', async () => {
    const there = await target()
    const home = 'https://school.example/'
    writeFileSync(join(folder, 'traces.json'), JSON.stringify(faulty))
    const repair = () => into(there.key, 'traces.json', '--repair', home, '--report', 'report', '--rejects', 'rejects')
    const told = [
      '1 × a name became an account; first in statement 1, actor: "Ann" → {"homePage":"https://school.example/","name":"Ann"}',
      '2 × an id became an IRI; first in statement 2, verb.id: "won" → "https://school.example/verbs/won"',
      '2 × a text became true or false; first in statement 3, result.success: "False" → false',
      '1 × a text became a number; first in statement 3, result.score.raw: "17" → 17',
      '1 × the key of an extension became an IRI; first in statement 4, result.extensions["progress"]: "progress" → "https://school.example/extensions/progress"',
      '3 × a time became a timestamp with a zone; first in statement 5, timestamp: "2016-03-01T10:00:00" → "2016-03-01T10:00:00Z"',
      '1 × a statement got an id; first in statement 7, id: null → ',
    ]
    const first = await repair()
    expect(first).toMatchObject({ code: 0, out: '8 statements were stored, 0 were there already, 1 was put aside.' })
    expect(first.error.replaceAll(/(?<=→ )"[\da-f-]{36}"/g, '').split('\n')).toEqual(told)
    const report = linesOf(readFileSync(join(folder, 'report'), 'utf8'))
    expect(report).toHaveLength(12)
    expect(report.find(({ statement }) => statement === 1)).toEqual({
      statement: 1,
      id: faulty[0]!.id,
      kind: 'actor',
      path: 'actor',
      from: 'Ann',
      to: { homePage: 'https://school.example/', name: 'Ann' },
    })
    expect(report.find(({ refused }) => refused !== undefined)).toEqual({
      statement: 8,
      refused: 'result.success: must be true or false without quotes, not "maybe"',
    })
    const rejects = linesOf(readFileSync(join(folder, 'rejects'), 'utf8'))
    expect(rejects.map(({ statement }) => statement)).toEqual([faulty[7]])
    const { json } = await there.rpc().statements.queryStatements({ limit: 500 })
    const stored = json.map((one) => JSON.parse(Buffer.from(one).toString()))
    expect(stored.map(({ timestamp }) => timestamp)).toEqual(
      expect.arrayContaining(['2016-03-01T10:00:00Z', '2016-03-02T10:00:00Z', '2016-03-03T00:00:00Z']),
    )
    expect(stored.find(({ id }) => id === faulty[2]!.id).result).toEqual({
      success: false,
      completion: true,
      score: { raw: 17 },
    })
    expect(
      JSON.parse((await into(there.key, 'traces.json', '--repair', home, '--rejects', 'r', '--json')).out),
    ).toEqual(
      expect.objectContaining({
        skipped: 8,
        repairs: expect.objectContaining({ timestamp: { count: 3, statement: 5, path: 'timestamp' } }),
      }),
    )
    expect(await repair()).toMatchObject({ out: '0 statements were stored, 8 were there already, 1 was put aside.' })
  })

  test('without --repair nothing is repaired, and a refusal says what it would do', async () => {
    const there = await target()
    writeFileSync(join(folder, 'traces.json'), JSON.stringify(faulty))
    expect(await into(there.key, 'traces.json')).toEqual(
      failed(/^Statement 1 is refused: actor: needs exactly one of .*; --repair <home page> repairs that \(--rejects/),
    )
    expect((await into(there.key, 'traces.json', '--rejects', 'refused')).out).toMatch(/^2 statements were stored, /)
    const refused = linesOf(readFileSync(join(folder, 'refused'), 'utf8'))
    expect(refused.map(({ refused }) => [refused.split(':')[0], refused.includes('--repair')])).toEqual([
      ['actor', true],
      ['verb.id', true],
      ['result.success', true],
      ['result.extensions["progress"]', true],
      ...Array.from({ length: 2 }, () => ['timestamp', true]),
      ['result.success', false],
    ])
    expect(await into(there.key, 'traces.json', '--report', 'report')).toEqual(
      failed(/^--report needs --repair <home page>\.$/, 2),
    )
    expect(await into(there.key, 'traces.json', '--repair', 'school')).toEqual(
      failed(/^--repair is "school", but must be an IRI such as https:\/\/school\.example\.$/, 2),
    )
    expect(await into(there.key, '--from', 'http://127.0.0.1:1/xapi', '--repair', 'https://school.example')).toEqual(
      failed(/^--repair is for files: /, 2),
    )
  })

  test('--state skips what is stored', async () => {
    const there = await target()
    writeFileSync(
      join(folder, 'some.ndjson'),
      statements(700)
        .map((one) => JSON.stringify(one))
        .join('\n'),
    )
    expect((await into(there.key, 'some.ndjson', '--state', 'state.json')).code).toBe(0)
    expect(await into(there.key, 'some.ndjson', '--state', 'state.json')).toEqual(
      done('0 statements were stored, 0 were there already.'),
    )
    writeFileSync(join(folder, 'some.ndjson'), JSON.stringify(statement()))
    expect(await into(there.key, 'some.ndjson', '--state', 'state.json')).toEqual(
      failed(/^state\.json belongs to another import, or the file has changed/, 2),
    )
  })
})
