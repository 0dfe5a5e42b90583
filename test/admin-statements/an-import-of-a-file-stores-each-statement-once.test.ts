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
