import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { done, failed } from '../support/admin.ts'
import { player, statement, statements } from '../support/statements.ts'
import { startAdminSystem, type AdminSystem, type OwnOfTest } from '../support/admin-system.ts'
import { linesOf, idsOf } from './statements.ts'

let { system, admin, next, close } = {} as AdminSystem
let { game, folder } = {} as OwnOfTest
beforeAll(async () => {
  ;({ system, admin, next, close } = await startAdminSystem())
})
afterAll(() => close())
beforeEach(async () => {
  ;({ game, folder } = await next())
})

describe('export', () => {
  test('as NDJSON is each statement in one line, byte for byte', async () => {
    const odd = `{"id":"${crypto.randomUUID()}","actor":{"mbox":"mailto:a@example.org"},\n "verb":{"id":"https://v.example"},"object":{"id":"https://o.example"},"result":{"extensions":{"https://e.example":1.10e2}}}`
    await game.xapi().post(odd)
    const { out, error } = await admin('statements', 'export', '--key', game.key)
    expect([out.split('\n').length, error]).toEqual([1, '1 statement.'])
    expect(out).toContain('"extensions":{"https://e.example":1.10e2}')
    expect(out).toContain(',  "verb"')
  })

  test('as CSV has the columns that are chosen, safe for spreadsheets', async () => {
    await game.xapi().post(
      statement({
        actor: { name: '=1+1', mbox: 'mailto:a@example.org' },
        result: { score: { raw: -3 }, response: 'a "quoted", text' },
        context: { extensions: { 'https://e.example/a.b': { c: [1] } } },
      }),
    )
    const columns =
      'actor.name,result.score.raw,result.response,context.extensions[https://e.example/a.b],no.such,context.extensions[https://e.example/a.b].c'
    const { out } = await admin('statements', 'export', '--key', game.key, '--as', 'csv', '--columns', columns)
    expect(out.split('\r\n')).toEqual([
      'actor.name,result.score.raw,result.response,context.extensions.https://e.example/a.b,no.such,context.extensions.https://e.example/a.b.c',
      `'=1+1,-3,"a ""quoted"", text","{""c"":[1]}",,[1]`,
    ])
    expect((await admin('statements', 'export', '--key', game.key, '--format', 'csv')).out).toMatch(
      /^id,stored,timestamp,learner_name,[^]*,'=1\+1,a@example\.org,played,/,
    )
    expect(await admin('statements', 'export', '--key', game.key, '--as', 'csv', '--columns', 'a..b')).toEqual(
      failed(/^"a\.\.b" is not a column\. /, 2),
    )
  })

  test('of nothing can be gone on with; options that would do nothing are refused', async () => {
    const own = await system.game()
    const out = join(folder, 'later.ndjson')
    expect(await admin('statements', 'export', '--key', own.key, '--out', out)).toEqual(done('', '0 statements.'))
    await own.xapi().post(statement())
    expect(await admin('statements', 'export', '--key', own.key, '--out', out, '--resume')).toEqual(
      done('', '1 statement.'),
    )
    expect(await admin('statements', 'export', '--key', own.key, '--out', folder)).toEqual(
      failed(/ is a folder\. Name a file\.$/),
    )
    expect(await admin('statements', 'export', '--key', own.key, '--out', join(folder, 'no', 'file'))).toEqual(
      failed(/^The folder of .*no\/file does not exist\.$/),
    )
    expect(await admin('statements', 'export', '--key', own.key, '--columns', 'id')).toEqual(
      failed(/^--columns is for CSV: add --format csv\.$/, 2),
    )
    expect(await admin('statements', 'export', '--key', own.key, '--resume')).toEqual(
      failed(/^--resume needs --out: /, 2),
    )
  })

  test('as CSV with pseudonyms of the game is gone on with, and tells nobody', async () => {
    const out = join(folder, 'all.csv')
    const take = (...more: string[]) =>
      admin('statements', 'export', '--key', game.key, '--format', 'csv', '--pseudonyms', 'game', '--out', out, ...more)
    await game.xapi().post(statements(300, { actor: player('ann-secret') }).slice(0, 250))
    expect(await take()).toEqual(done('', '250 statements.'))
    await game.xapi().post([statement({ actor: player('ann-secret') }), statement({ actor: player('ben-secret') })])
    expect(await take('--resume')).toEqual(done('', '2 statements were added, 252 in all.'))
    const lines = readFileSync(out, 'utf8').trimEnd().split('\r\n')
    expect(lines).toHaveLength(253)
    expect(lines.filter((line) => line.startsWith('id,'))).toHaveLength(1)
    expect(lines.join()).not.toContain('secret')
    expect(new Set(lines.slice(1).map((line) => line.split(',')[4])).size).toBe(2)
    expect(await admin('statements', 'export', '--key', game.key, '--pseudonyms', '--out', out, '--resume')).toEqual(
      failed(/^--resume needs the same pseudonyms again: use --pseudonyms game\.$/, 2),
    )
    expect(await admin('statements', 'export', '--key', game.key, '--format', 'csv', '--bare')).toEqual(
      failed(/^--bare is for/, 2),
    )
  })

  test('as Parquet is a file for each day; later runs add what is missing, and the last day anew', async () => {
    const to = join(folder, 'days')
    const take = (...more: string[]) =>
      admin('statements', 'export', '--key', game.key, '--format', 'parquet', '--to', to, ...more)
    const old = statements(3)
    await game.xapi().post(old)
    const two = 2 * 86_400_000_000
    await system.database.sql(`update statement set stored = stored - $2::bigint where id = any ($1::uuid[])`, [
      idsOf(old),
      two,
    ])
    await game.xapi().post(statements(2))
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    const countsOf = async () =>
      Promise.all(
        readdirSync(to)
          .filter((name) => name.endsWith('.parquet'))
          .toSorted()
          .map(async (name) => [
            name,
            (await parquetReadObjects({ file: await asyncBufferFromFile(join(to, name)) })).length,
          ]),
      )
    expect((await take()).out).toBe(`2 files with 5 statements in ${to}.\n`.trimEnd())
    const [early, today] = [`statements-${day(2)}.parquet`, `statements-${day(0)}.parquet`]
    expect(await countsOf()).toEqual([
      [early, 3],
      [today, 2],
    ])
    await game.xapi().post(statement())
    expect((await take()).out).toContain('1 file with 3 statements')
    rmSync(join(to, early))
    expect((await take()).out).toContain('2 files with 6 statements')
    expect(await countsOf()).toEqual([
      [early, 3],
      [today, 3],
    ])
    expect(await take('--verb', 'https://v.example')).toEqual(failed(/ has files with other filters/))
    expect(await take('--since', '2026-01-01T00:00:00Z')).toEqual(failed(/^Files by day have whole days/, 2))
  })

  test('compressed and resumed after a crash: whole, in order, nothing twice', async () => {
    const file = join(folder, 'all.ndjson.gz')
    for (let n = 0; n < 4; n++) await game.xapi().post(statements(250))
    expect(await admin('statements', 'export', '--key', game.key, '--gzip', '--out', file)).toEqual(
      done('', '1,000 statements.'),
    )
    expect(await admin('statements', 'export', '--key', game.key, '--gzip', '--out', file)).toEqual(
      failed(/all\.ndjson\.gz exists already: --resume continues it, --force starts over\.$/),
    )
    expect(
      await admin(
        'statements',
        'export',
        '--key',
        game.key,
        '--gzip',
        '--out',
        file,
        '--resume',
        '--verb',
        'https://v.example',
      ),
    ).toEqual(failed(/was started with other filters/))
    const state = JSON.parse(readFileSync(`${file}.state.json`, 'utf8'))
    // as if it had been killed while it wrote the next piece
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('half a piece')]))
    await game.xapi().post(statements(250))
    expect(await admin('statements', 'export', '--key', game.key, '--gzip', '--out', file, '--resume')).toEqual(
      done('', '250 statements were added, 1,250 in all.'),
    )
    const all = linesOf(gunzipSync(readFileSync(file)).toString())
    expect(new Set(idsOf(all)).size).toBe(1250)
    expect(all.map(({ stored }) => stored)).toEqual(all.map(({ stored }) => stored).sort())
    truncateSync(file, state.bytes - 1)
    expect(await admin('statements', 'export', '--key', game.key, '--gzip', '--out', file, '--resume')).toEqual(
      failed(/is shorter than .* says: --force starts over\.$/),
    )
  })
})
