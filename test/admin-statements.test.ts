import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endAll, eventually, freePorts, launch, temporaryFolder } from '../start/fixtures/launch.ts'
import { command, done, failed, run } from './support/admin.ts'
import { attachment, contentPart, jsonPart, multipart, multipartType, sha256 } from './support/attachments.ts'
import { cuttable } from './support/cuttable.ts'
import type { Game } from './support/games.ts'
import { activity, player, statement, statements, verb, voiding, type Json } from './support/statements.ts'
import { startSystem, tokens, type System } from './support/system.ts'

let system: System
let other: System
beforeAll(async () => {
  ;[system, other] = await Promise.all([startSystem(), startSystem()])
})
afterAll(async () => {
  endAll()
  await Promise.all([system.close(), other.close()])
})

let game: Game
let folder: string
beforeEach(async () => {
  game = await system.game()
  folder = temporaryFolder()
})

const connected = (to = system) => ({
  LRS_CORE_URL: `http://127.0.0.1:${to.cores[0]!.port}`,
  LRS_SERVICE_TOKEN: tokens.admin,
})
const admin = (...args: string[]) => run(['statements', ...args], { env: connected(), cwd: folder })
const linesOf = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
const idsOf = (all: Json[]): string[] => all.map(({ id }) => id)
/** Bodies as they are stored, without what each store decides itself, in the order of ids. */
const bodiesOf = async ({ rpc }: Game): Promise<string[]> => {
  const bodies: string[] = []
  for (let offset = ''; ;) {
    const { json, next } = await rpc().statements.queryStatements({ offset, limit: 500 })
    bodies.push(
      ...json.map((one) =>
        Buffer.from(one)
          .toString()
          .replace(/"stored":"[^"]*",?/, ''),
      ),
    )
    if (next === '') return bodies.sort()
    offset = next
  }
}

describe('query', () => {
  test('takes every filter of the interface', async () => {
    const registration = crypto.randomUUID()
    const won = statement({
      verb: { ...verb('won'), display: { en: 'won' } },
      result: { score: { scaled: 0.85 }, success: true },
      context: { registration },
    })
    const within = statement({
      actor: player('ben'),
      context: { contextActivities: { parent: [activity('chess')] }, instructor: player('ann') },
      object: activity('go'),
    })
    const gone = statement()
    await game.xapi().post([statement({ actor: { mbox: 'mailto:cat@example.org' } })])
    await game.xapi().post([won, within, gone])
    await game.xapi().post(voiding(gone.id))
    const ids = async (...args: string[]) =>
      idsOf(linesOf((await admin('query', '--key', game.key, '--json', ...args)).out))
    expect(await ids('--verb', verb('won').id)).toEqual([won.id])
    expect(await ids('--registration', registration)).toEqual([won.id])
    expect(await ids('--agent', 'cat@example.org')).toHaveLength(1)
    expect(await ids('--agent', 'https://players.example.org|ben')).toEqual([within.id])
    expect(
      await ids('--agent', JSON.stringify(player('ann')), '--related-agents', '--activity', activity('go').id),
    ).toEqual([within.id])
    expect(
      await ids(
        '--activity',
        activity('chess').id,
        '--related-activities',
        '--agent',
        'https://players.example.org|ben',
      ),
    ).toEqual([within.id])
    const all = linesOf((await admin('query', '--key', game.key, '--json', '--ascending')).out)
    expect(all).toHaveLength(4)
    expect(await ids('--since', all[0].stored, '--until', all[1].stored)).toEqual([all[1].id])
    expect(await ids('--limit', '1')).toEqual([all[3].id])
    expect(await ids('--voided-id', gone.id)).toEqual([gone.id])
    expect(
      linesOf((await admin('query', '--key', game.key, '--json', '--id', won.id, '--format', 'ids')).out)[0].verb,
    ).toEqual(verb('won'))
    const shown = await admin('query', '--key', game.key, '--verb', verb('won').id)
    expect(shown).toEqual(
      done(
        expect.stringMatching(
          /^STORED \(UTC\) +ACTOR +VERB +OBJECT +RESULT\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}ann +won +https:\/\/games\.example\.org\/activities\/chess {2}0\.85, success$/,
        ),
      ),
    )
    expect(await admin('query', '--key', game.key, '--verb', verb('lost').id)).toEqual(
      done('', 'No statement matches.'),
    )
    expect((await admin('query', '--game', game.id)).out.split('\n')).toHaveLength(5)
  })

  test('of more than a page comes whole, and a reader may leave early', async () => {
    for (let n = 0; n < 5; n++) await game.xapi().post(statements(250))
    const { out } = await admin('query', '--key', game.key, '--all', '--json')
    expect(new Set(idsOf(linesOf(out))).size).toBe(1250)
    expect((await admin('query', '--key', game.key)).error).toBe(
      'Only the first 50 are shown: --limit or --all show more.',
    )
    const limited = async (limit: number) => (await admin('query', '--key', game.key, '--limit', String(limit))).error
    expect([await limited(1), await limited(1249), await limited(1250)]).toEqual([
      'Only the first one is shown: --limit or --all show more.',
      'Only the first 1,249 are shown: --limit or --all show more.',
      '',
    ])
    const script =
      `'${process.execPath}' admin/main.ts statements query --key ${game.key} --all --json | head -n ` +
      `2; exit \${PIPESTATUS[0]}`
    const piped = launch('bash', ['-c', script], { env: { PATH: process.env['PATH'], ...connected() } })
    expect([await piped.exited, piped.output().trim().split('\n').length]).toEqual([0, 2])
  })

  test('what is wrong is one line', async () => {
    expect(await admin('query', '--key', game.key, '--game', game.id)).toEqual(
      failed(/^--game and --key exclude each other: use one of them\.$/, 2),
    )
    expect(await admin('query', '--key', 'nobody')).toEqual(
      failed(/^There is no valid credential with this key: "games list" shows the keys\.$/),
    )
    expect(await admin('query')).toEqual(
      failed(/^Name a game with --game <id or slug>, or --key <key of a credential>\.$/, 2),
    )
    expect(await admin('query', '--key', game.key, '--agent', 'ann')).toEqual(
      failed(/^"ann" is not an agent\. Use JSON, an e-mail address, or homePage\|name\.$/, 2),
    )
    expect(await admin('query', '--key', game.key, '--since', 'yesterday')).toEqual(
      failed(/^since: must be an ISO 8601 timestamp/),
    )
    expect(await admin('query', '--key', game.key, '--limit', '0')).toEqual(
      failed(/^error: option '--limit <n>' argument '0' is invalid\. It must be/, 2),
    )
    expect(
      await run(['statements', 'query', '--key', 'x', '--core', 'http://no-such-host.invalid'], { env: connected() }),
    ).toEqual(failed(/^Core does not answer at http:\/\/no-such-host\.invalid: /, 3))
  })
})

test('tail shows the last ones and then each as it is stored, goes on after a cut, and ends with Ctrl-C', async () => {
  const ids = idsOf(statements(3))
  for (const id of ids) await game.xapi().post(statement({ id }))
  const way = await cuttable(system.cores[0]!.port)
  const tail = command(['statements', 'tail', '--key', game.key, '-n', '2', '--json'], {
    env: { ...connected(), LRS_CORE_URL: way.url },
  })
  await eventually(
    () => tail.said.out.split('\n').length === 3,
    () => `two lines in ${tail.said.out} ${tail.said.error}`,
  )
  const fresh = statements(5)
  for (const [n, one] of fresh.entries()) {
    if (n === 2) way.cut()
    await game.xapi().post(one)
  }
  await eventually(
    () => tail.said.error.includes('The connection was lost at '),
    () => tail.said.error,
  )
  way.mend()
  await eventually(
    () => tail.said.out.split('\n').length === 8,
    () => `seven lines in ${tail.said.out}`,
  )
  tail.process.kill('SIGINT')
  const { code, out } = await tail.ended
  await way.close()
  expect([code, idsOf(linesOf(out))]).toEqual([130, [...ids.slice(1), ...idsOf(fresh)]])
})

describe('export', () => {
  test('as NDJSON is each statement in one line, byte for byte', async () => {
    const odd =
      `{"id":"${crypto.randomUUID()}","actor":{"mbox":"mailto:a@example.org"},\n ` +
      `"verb":{"id":"https://v.example"},"object":{"id":"https://o.example"},"result":{"extensions":{"https://e.example":1.10e2}}}`
    await game.xapi().post(odd)
    const { out, error } = await admin('export', '--key', game.key)
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
    const { out } = await admin('export', '--key', game.key, '--as', 'csv', '--columns', columns)
    expect(out.split('\r\n')).toEqual([
      'actor.name,result.score.raw,result.response,context.extensions.https://e.example/a.b,no.such,context.extensions.https://e.example/a.b.c',
      `'=1+1,-3,"a ""quoted"", text","{""c"":[1]}",,[1]`,
    ])
    expect((await admin('export', '--key', game.key, '--format', 'csv')).out).toMatch(
      /^id,stored,timestamp,learner_name,[^]*,'=1\+1,a@example\.org,played,/,
    )
    expect(await admin('export', '--key', game.key, '--as', 'csv', '--columns', 'a..b')).toEqual(
      failed(/^"a\.\.b" is not a column\. /, 2),
    )
  })

  test('of nothing can be gone on with; options that would do nothing are refused', async () => {
    const own = await system.game()
    const out = join(folder, 'later.ndjson')
    expect(await admin('export', '--key', own.key, '--out', out)).toEqual(done('', '0 statements.'))
    await own.xapi().post(statement())
    expect(await admin('export', '--key', own.key, '--out', out, '--resume')).toEqual(done('', '1 statement.'))
    expect(await admin('export', '--key', own.key, '--out', folder)).toEqual(failed(/ is a folder\. Name a file\.$/))
    expect(await admin('export', '--key', own.key, '--out', join(folder, 'no', 'file'))).toEqual(
      failed(/^The folder of .*no\/file does not exist\.$/),
    )
    expect(await admin('export', '--key', own.key, '--columns', 'id')).toEqual(
      failed(/^--columns is for CSV: add --format csv\.$/, 2),
    )
    expect(await admin('export', '--key', own.key, '--resume')).toEqual(failed(/^--resume needs --out: /, 2))
  })

  test('as CSV with pseudonyms of the game is gone on with, and tells nobody', async () => {
    const out = join(folder, 'all.csv')
    const take = (...more: string[]) =>
      admin('export', '--key', game.key, '--format', 'csv', '--pseudonyms', 'game', '--out', out, ...more)
    await game.xapi().post(statements(300, { actor: player('ann-secret') }).slice(0, 250))
    expect(await take()).toEqual(done('', '250 statements.'))
    await game.xapi().post([statement({ actor: player('ann-secret') }), statement({ actor: player('ben-secret') })])
    expect(await take('--resume')).toEqual(done('', '2 statements were added, 252 in all.'))
    const lines = readFileSync(out, 'utf8').trimEnd().split('\r\n')
    expect(lines).toHaveLength(253)
    expect(lines.filter((line) => line.startsWith('id,'))).toHaveLength(1)
    expect(lines.join()).not.toContain('secret')
    expect(new Set(lines.slice(1).map((line) => line.split(',')[4])).size).toBe(2)
    expect(await admin('export', '--key', game.key, '--pseudonyms', '--out', out, '--resume')).toEqual(
      failed(/^--resume needs the same pseudonyms again: use --pseudonyms game\.$/, 2),
    )
    expect(await admin('export', '--key', game.key, '--format', 'csv', '--bare')).toEqual(failed(/^--bare is for/, 2))
  })

  test('as Parquet is a file for each day; later runs add what is missing, and write the last day again', async () => {
    const to = join(folder, 'days')
    const take = (...more: string[]) => admin('export', '--key', game.key, '--format', 'parquet', '--to', to, ...more)
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
    expect(await admin('export', '--key', game.key, '--gzip', '--out', file)).toEqual(done('', '1,000 statements.'))
    expect(await admin('export', '--key', game.key, '--gzip', '--out', file)).toEqual(
      failed(/all\.ndjson\.gz exists already: --resume continues it, --force starts over\.$/),
    )
    expect(
      await admin('export', '--key', game.key, '--gzip', '--out', file, '--resume', '--verb', 'https://v.example'),
    ).toEqual(failed(/was started with other filters/))
    const state = JSON.parse(readFileSync(`${file}.state.json`, 'utf8'))
    // as if it had been killed while it wrote the next piece
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('half a piece')]))
    await game.xapi().post(statements(250))
    expect(await admin('export', '--key', game.key, '--gzip', '--out', file, '--resume')).toEqual(
      done('', '250 statements were added, 1,250 in all.'),
    )
    const all = linesOf(gunzipSync(readFileSync(file)).toString())
    expect(new Set(idsOf(all)).size).toBe(1250)
    expect(all.map(({ stored }) => stored)).toEqual(all.map(({ stored }) => stored).sort())
    truncateSync(file, state.bytes - 1)
    expect(await admin('export', '--key', game.key, '--gzip', '--out', file, '--resume')).toEqual(
      failed(/is shorter than .* says: --force starts over\.$/),
    )
  })
})

describe('import from a file', () => {
  const target = async () => ({ ...(await other.game()) })
  const into = (key: string, ...args: string[]) =>
    run(['statements', 'import', '--key', key, ...args], { env: connected(other), cwd: folder })

  test('of an export: bodies byte for byte, contents of attachments too, and again: nothing twice', async () => {
    const content = Buffer.from('replay '.repeat(40_000))
    const body = multipart([jsonPart(statement({ attachments: [attachment(content)] })), contentPart(content)])
    expect(
      (await game.xapi().request('POST', 'statements', { body, headers: { 'content-type': multipartType } })).status,
    ).toBe(200)
    await game
      .xapi()
      .post(
        '{"actor":{"mbox":"mailto:a@example.org"}, ' +
          '"verb":{"id":"https://v.example"},"object":{"id":"https://o.example"},"result":{"extensions":{"https://e.example":1.10e2}}}',
      )
    await game.xapi().post(statements(250))
    expect(
      (await admin('export', '--key', game.key, '--gzip', '--out', 'all.gz', '--attachments', 'contents')).code,
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
        env: connected(other),
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

describe('import from another store', () => {
  const into = (key: string, ...args: string[]) => [
    'statements',
    'import',
    '--key',
    key,
    '--from',
    `${system.urls[0]}/xapi`,
    ...args,
  ]

  test('takes all, with voided statements and contents; run again it takes what is new', async () => {
    const there = await other.game()
    const gone = statement()
    const content = Buffer.from('\r\n--boundary\r\n'.repeat(20_000))
    await game.xapi().post([gone, statement()])
    await game.xapi().post(voiding(gone.id))
    await game.xapi().request('POST', 'statements', {
      body: multipart([
        jsonPart(statement({ attachments: [attachment(content), attachment('')] })),
        contentPart(content),
        contentPart(''),
      ]),
      headers: { 'content-type': multipartType },
    })
    const auth = ['--auth', `${game.key}:${game.secret}`]
    const options = { env: connected(other), cwd: folder }
    expect(await run(into(there.key, ...auth), options)).toEqual(
      done('4 statements were stored, 0 were there already.'),
    )
    expect(await bodiesOf(there)).toEqual(await bodiesOf(game))
    expect((await there.xapi().get({ voidedStatementId: gone.id })).status).toBe(200)
    expect((await there.xapi().get({ attachments: true })).bytes.includes(content)).toBe(true)
    await game.xapi().post(statement())
    const again = await run(into(there.key, '--json'), {
      ...options,
      env: { ...options.env, LRS_IMPORT_AUTH: `${game.key}:${game.secret}` },
    })
    expect(JSON.parse(again.out)).toMatchObject({
      stored: 1,
      rejected: 0,
      state: expect.stringMatching(/^games-lrs-import-.*\.json$/),
    })
    expect(again.error).toMatch(/^Continuing after 4 statements, as games-lrs-import-/)
    expect(readFileSync(join(folder, JSON.parse(again.out).state), 'utf8')).not.toContain(game.secret)
  })

  test('killed in the middle and run again: nothing lost, nothing twice', async () => {
    const there = await other.game()
    const all = Array.from({ length: 16 }, () => statements(250, { result: { response: 'x'.repeat(500) } }))
    for (const batch of all) await game.xapi().post(batch)
    const options = { env: { ...connected(other), LRS_IMPORT_AUTH: `${game.key}:${game.secret}` }, cwd: folder }
    const state = join(folder, 'import.json')
    for (const least of [500, 1500]) {
      const first = command(into(there.key, '--state', state), options)
      await eventually(
        () => existsSync(state) && JSON.parse(readFileSync(state, 'utf8')).count >= least,
        () => `${least} statements: ${first.said.error}`,
      )
      first.process.kill('SIGKILL')
      expect((await first.ended).code).toBe('SIGKILL')
    }
    const rest = await command(into(there.key, '--state', state), options).ended
    expect([rest.code, rest.out]).toEqual([
      0,
      expect.stringMatching(/^[\d,]+ statements were stored, (0|500) were there already\.$/),
    ])
    expect(await bodiesOf(there)).toEqual(await bodiesOf(game))
    expect(await bodiesOf(there)).toHaveLength(4000)
  })

  test('what is wrong with the other store is one line', async () => {
    const there = await other.game()
    const options = { env: connected(other), cwd: folder }
    const [port] = await freePorts(1)
    expect(await run(into(there.key, '--auth', 'a:b'), options)).toEqual(
      failed(/^127\.0\.0\.1:\d+ refuses the credential \(401\)\. Check --auth or LRS_IMPORT_AUTH\./),
    )
    expect(await run(into(there.key, '--auth', 'a:b', '--from', `${system.urls[0]}/nowhere`), options)).toEqual(
      failed(/^127\.0\.0\.1:\d+ has no xAPI endpoint at this path \(404\)\. The path of --from/),
    )
    expect(await run(into(there.key), options)).toEqual(failed(/^--auth \(or LRS_IMPORT_AUTH\) must be key:secret/, 2))
    expect(
      await run(
        ['statements', 'import', '--key', there.key, '--auth', 'a:b', '--from', `http://127.0.0.1:${port}/xapi`],
        options,
      ),
    ).toEqual(failed(/^The other store at 127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\)\.$/, 3))
    expect(
      await run(['statements', 'import', '--key', there.key, '--auth', 'a:b', '--from', 'lrs.example.org'], options),
    ).toEqual(failed(/^--from must be the xAPI endpoint/, 2))
  })
})
