import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endAll, eventually, freePorts, temporaryFolder } from '../start/fixtures/launch.ts'
import { command, done, failed, run } from './support/admin.ts'
import { freshDatabase } from './support/database.ts'
import { statement, statements } from './support/statements.ts'
import { addStudio } from './support/studios.ts'
import { startSystem, tokens, type System } from './support/system.ts'

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(async () => {
  endAll()
  await system.close()
})

const connected = () => ({ LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`, LRS_SERVICE_TOKEN: tokens.admin })
const admin = (...args: string[]) => run(args, { env: connected() })
const json = async (...args: string[]) => JSON.parse((await admin(...args, '--json')).out)

test('credentials are issued, listed, limited, rotated and revoked; secrets are shown once', async () => {
  const { gameId } = await system.admin.identity.createGame({ name: 'Go' })
  expect(await admin('credentials', 'list', gameId)).toEqual(done('The game has no credential yet.'))
  const { key, secret } = await json(
    'credentials',
    'issue',
    gameId,
    '--scope',
    'statements/write',
    'statements/read/mine',
  )
  expect(await admin('credentials', 'issue', gameId)).toEqual(failed(/has a credential/))
  expect((await admin('credentials', 'list', gameId)).out).toMatch(
    new RegExp(
      `^KEY +SCOPES +ISSUED \\(UTC\\) +ROTATED +REVOKED\\n${key}  statements/write statements/read/mine  ` +
        `\\d{4}-[\\d: -]+$`,
    ),
  )
  expect(await admin('credentials', 'scopes', key, '--scope', 'statements/read')).toEqual(
    done(`${key} may: statements/read.`),
  )
  expect((await admin('credentials', 'scopes', key)).out).toBe(
    `${key} may: statements/write statements/read/mine state define profile.`,
  )
  expect(await admin('credentials', 'scopes', key, '--scope', 'everything')).toEqual(
    failed(/^error: option '--scope <scope\.\.\.>' argument 'everything' is invalid/, 2),
  )
  const rotated = await json('credentials', 'rotate', key)
  expect(rotated.secret).not.toBe(secret)
  expect(await admin('credentials', 'revoke', key)).toEqual(
    failed(/^End the credential .* for good\? Add --yes to confirm\.$/, 2),
  )
  expect(await admin('credentials', 'revoke', key, '--yes')).toEqual(done(`Revoked: ${key}.`))
  expect(await admin('credentials', 'rotate', key)).toEqual(failed(/credential/))
})

test('launch tokens are minted and inspected', async () => {
  const game = await system.game()
  const { token, registration } = await json(
    'tokens',
    'mint',
    '--key',
    game.key,
    '--agent',
    'https://school.example|ann',
  )
  expect(await json('tokens', 'inspect', `Bearer ${token}`)).toMatchObject({
    gameId: game.id,
    key: game.key,
    registration,
  })
  expect((await admin('tokens', 'inspect', token)).out).toMatch(
    /^actor +\{"objectType":"Agent","account":\{"homePage":"https:\/\/school\.example","name":"ann"\}\}$/m,
  )
  expect((await admin('tokens', 'inspect', 'x.y.z')).code).toBe(1)
  expect((await admin('tokens', 'end', `Bearer ${token}`)).out).toBe(
    'Ended 1 session: their tokens are refused from now on.',
  )
  expect(await json('tokens', 'end', token)).toEqual({ ended: 0 })
  expect((await admin('tokens', 'end', crypto.randomUUID())).out).toBe('No session was running.')
})

test('a learner is exported whole and erased after a yes, with a receipt', async () => {
  const game = await system.game()
  const mine = `{"id":"${crypto.randomUUID()}","actor":{"mbox":"mailto:eve@example.org","name":"Eve"},"verb":{"id":"https://v.example"}, "object":{"id":"https://o.example"}}`
  await game.xapi().post(mine)
  await game.xapi().post(statement({ context: { instructor: { mbox: 'mailto:eve@example.org' } } }))
  const state = {
    query: { activityId: 'https://o.example', agent: { mbox: 'mailto:eve@example.org' }, stateId: 's' },
    body: '{"level": 1.0}',
  }
  expect((await game.xapi().request('PUT', 'activities/state', state)).status).toBe(204)
  const out = join(temporaryFolder(), 'eve.ndjson')
  expect(await admin('learners', 'export', 'eve@example.org', '--out', out)).toEqual(
    done('', '2 statements and 1 document.'),
  )
  expect(statSync(out).mode & 0o777).toBe(0o600)
  const text = readFileSync(out, 'utf8')
  expect(text).toContain('"verb":{"id":"https://v.example"}, "object"')
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { kind: 'learner', person: { name: ['Eve'] }, account: null },
    { kind: 'statement', own: true },
    { kind: 'statement', own: false },
    { kind: 'state', text: '{"level": 1.0}', contentType: 'application/json' },
  ])
  expect(await admin('learners', 'export', 'eve@example.org', '--out', out)).toEqual(
    failed(/eve\.ndjson exists already: name another file\.$/),
  )
  for (const option of [[], ['--yes']])
    expect(await admin('learners', 'erase', 'nobody@example.org', ...option)).toEqual(
      failed(
        /^There is no data about \{.*"mailto:nobody@example\.org"\}: nothing was erased\. Check the identifier\.$/,
      ),
    )
  expect((await admin('learners', 'erase', 'eve@example.org', '--preview')).out).toMatch(
    /^statements +1\nstatements of others, with a pseudonym +1\nstate documents +1\n[^]*\nNothing was changed\.$/,
  )
  expect(await admin('learners', 'erase', 'eve@example.org')).toEqual({
    code: 2,
    out: '',
    error: expect.stringMatching(/^statements +1\n[^]*Add --yes to confirm\.$/),
  })
  expect((await admin('learners', 'erase', 'eve@example.org', '--yes')).out).toMatch(
    /^receipt +[0-9a-f-]{36}\nerased +\d{4}-.* UTC\nstatements +1\n/,
  )
  expect((await admin('learners', 'export', 'eve@example.org')).error).toBe('0 statements and 0 documents.')
})

test('learners of a game are found by name, and as they are printed the other commands take them', async () => {
  const game = await system.game()
  const [ann, zoe] = [
    { name: 'Ann Find', account: { homePage: 'https://school.example', name: 'ann-7' } },
    { name: 'Zoë', mbox: 'mailto:zoe@example.org' },
  ]
  await game.xapi().post([ann, zoe].map((actor) => statement({ actor })))
  const { out } = await admin('learners', 'find', 'FIND a', '--game', game.id)
  expect(out).toMatch(
    /^LEARNER +AGENT +LAST SEEN[^]*\nAnn Find +https:\/\/school\.example\|ann-7 +20\d\d-\S+ \S+ +0 +1$/,
  )
  const [, agent] = /(https:\S+)/.exec(out)!
  expect((await admin('learners', 'erase', agent!, '--preview')).out).toMatch(/^statements +1\n/)
  expect(await json('learners', 'find', 'zoe', '--game', game.id)).toMatchObject({
    learners: [{ name: 'Zoë', agent: '{"mbox":"mailto:zoe@example.org"}', statements: '1', sessions: '0' }],
    next: '',
    complete: true,
  })
  const long = { name: 'Zoo'.repeat(40), mbox: 'mailto:zoo@example.org' }
  await game.xapi().post(statement({ actor: long }))
  expect((await admin('learners', 'find', 'zoozoo', '--game', game.id)).out).toContain(`${'Zoo'.repeat(13)}…  zoo@`)
  expect((await admin('learners', 'list', '--game', game.id, '--limit', '1')).error).toBe(
    'Only the first 1 are shown: --limit shows more.',
  )
  expect((await admin('learners', 'find', 'nobody', '--game', game.id)).out).toBe('No learner is found.')
})

test('sharing names again needs a yes', async () => {
  expect(await admin('learners', 'share-names')).toEqual(
    failed(/^Allow LRS_TENANCY=shared\? .* Add --yes to confirm\.$/, 2),
  )
  expect(await admin('learners', 'share-names', '--yes')).toEqual(
    done('Cores can start with LRS_TENANCY=shared now. Running cores do not change.'),
  )
})

test('prefixes of activities are reserved, listed and withdrawn', async () => {
  const { slug, email } = await addStudio(system, 'Red Owl')
  const prefix = 'https://red-owl.example/go/'
  expect(await admin('reservations', 'list', slug)).toEqual(done('Nothing is reserved.'))
  expect(await admin('reservations', 'grant', email, prefix)).toEqual(
    done(`Reserved for ${email}: ${prefix}\nEvery core applies it within 5 seconds.`),
  )
  expect((await admin('reservations', 'list')).out).toMatch(
    new RegExp(`^PREFIX +STUDIO +SLUG +SINCE \\(UTC\\)\n${prefix} +Red Owl +${slug} +\\d{4}-[\\d: -]+$`),
  )
  expect(await json('reservations', 'list', slug)).toMatchObject({ reservations: [{ prefix, studioSlug: slug }] })
  expect(await admin('reservations', 'grant', slug, 'https://w3id.org/xapi/')).toEqual(
    failed(/^prefix: must not lie at w3id\.org: /),
  )
  expect(await admin('reservations', 'grant', slug, prefix.slice(0, -1))).toEqual(
    failed(/^prefix: must end with a slash/),
  )
  expect(
    await admin('reservations', 'grant', (await addStudio(system, 'Fox')).slug, 'https://red-owl.example/'),
  ).toEqual(failed(/^Another studio has https:\/\/red-owl\.example\/go\/: /))
  expect(await admin('reservations', 'withdraw', prefix)).toEqual(
    done(`No longer reserved: ${prefix}\nEvery core applies it within 5 seconds.`),
  )
  expect(await admin('reservations', 'withdraw', prefix)).toEqual(
    failed(/^Nobody has reserved exactly this prefix: "reservations list" shows them\.$/),
  )
})

test('quotas of one studio are shown and changed; limits are listed', async () => {
  const { studioSlug, email } = await studio('Blue Fox')
  expect((await admin('quotas', 'show', email)).out).toMatch(/^games +.* +0 +20 +games$/m)
  expect(await admin('quotas', 'set', studioSlug, 'games', '50')).toEqual(done(`${studioSlug} may have 50 (games).`))
  expect(await admin('quotas', 'set', studioSlug, 'storage', '40GB')).toEqual(
    done(`${studioSlug} may have 40 GB (storage).`),
  )
  const { out } = await admin('quotas', 'show', studioSlug)
  expect(out).toMatch(/^games +.* +0 +50 +games +yes$/m)
  expect(out).toMatch(/^storage +.* 0 bytes +40 GB +yes$/m)
  const { gameId } = await system.admin.identity.createGame({ name: 'Chess' })
  expect(await admin('games', 'quota', gameId, '40GB')).toEqual(done(`${gameId} may store 40 GB.`))
  expect(await admin('games', 'quota', gameId, 'none')).toEqual(done(`${gameId} may store any number of bytes.`))
  expect(await admin('games', 'quota', gameId, 'lots')).toEqual(failed(/^"lots" is not a limit: /, 2))
  expect(await admin('quotas', 'set', studioSlug, 'games', 'default')).toEqual(
    done(`${studioSlug} may have 20 (games), the default.`),
  )
  expect(await admin('quotas', 'set', studioSlug, 'games', '5GB')).toEqual(
    failed(/^"games" does not count bytes: use a number without a unit, not "5GB"\.$/, 2),
  )
  expect(await admin('quotas', 'set', studioSlug, 'storage', 'default')).toEqual(
    done(`${studioSlug} may have 25 GB (storage), the default.`),
  )
  expect(await admin('quotas', 'set', studioSlug, 'storge', '5GB')).toEqual(
    failed(/^name: must be one of games, storage, /),
  )
  expect(await admin('quotas', 'set', studioSlug, 'games', 'many')).toEqual(failed(/^"many" is not a limit: /, 2))
  expect((await admin('quotas', 'show', 'no-such-studio')).code).toBe(1)
  expect((await admin('limits')).out).toMatch(/^OF +LIMIT +FOR EACH\nPOST \/xapi\/statements +none +credential/m)
})

async function studio(name: string): Promise<{ studioSlug: string; email: string }> {
  await addStudio(system, name)
  const { studios } = await system.admin.accounts.listStudios({})
  const found = studios.find(({ studio }) => studio!.name === name)!
  return { studioSlug: found.studio!.slug, email: found.email }
}

test('status and doctor', async () => {
  await (await system.game()).xapi().post(statements(3))
  const { out } = await admin('status')
  expect(out).toMatch(/^core +http:\/\/127\.0\.0\.1:\d+, version \d+\.\d+\.\d+, Node \d+\.\d+\.\d+, up for/)
  expect(out).toMatch(/^complete through +\d{4}-.*, [\d.]+ ms behind$/m)
  expect(out).toMatch(/^StoreStatements +\d+ +0$/m)
  expect(out).toMatch(/^statement +[\d,]+ +[\d.]+ \w+ +[\d.]+ \w+$/m)
  expect(await json('status')).toMatchObject({ schemaVersion: expect.any(Number), pool: { limit: 10 } })
  // as on a fresh store, before the first upload
  const { storage } = system.cores[0]!.config
  if (storage.kind === 'local') rmSync(storage.folder, { recursive: true })
  const examined = await admin('doctor')
  expect(examined.out).toMatch(/^\w+ +disk-space: [\d.]+ \w+ of [\d.]+ \w+ are free/m)
  expect(examined.out).toMatch(/^ok +core: answers at http:\/\/127\.0\.0\.1:\d+ and accepts the token\n/)
  expect(examined.out).toMatch(/^ok +migrations: are all applied: version \d+$/m)
  const [port] = await freePorts(1)
  const away = await run(['doctor', '--core', `http://127.0.0.1:${port}`, '--json'], { env: connected() })
  expect([away.code, away.error]).toEqual([1, '1 of 1 check failed.'])
  expect(JSON.parse(away.out).findings).toEqual([
    {
      name: 'core',
      severity: 'error',
      message: expect.stringMatching(/^does not serve: Core does not answer/),
      advice: expect.stringMatching(/^Nothing listens there/),
    },
  ])
  const LRS_PROFILE = join(temporaryFolder(), 'profiles.json')
  writeFileSync(LRS_PROFILE, '{"profiles": {}}', { mode: 0o644 })
  expect((await run(['doctor'], { env: { ...connected(), LRS_PROFILE } })).out).toMatch(
    /^warning +.*profiles\.json: contains secrets that other users of this machine can read\n +→ chmod 600 /,
  )
})

test('migrate brings the schema to this version without serving', async () => {
  const database = await freshDatabase()
  try {
    await database.sql('drop schema public cascade')
    await database.sql('create schema public')
    const env = { DATABASE_URL: database.url }
    const newest = await json('status').then(({ schemaVersion }) => schemaVersion)
    expect(await run(['migrate'], { env })).toEqual(done(`The schema is at version ${newest}.`))
    expect(await run(['migrate', '--json'], { env })).toEqual(done(`{\n  "schemaVersion": ${newest}\n}`))
    await database.sql('insert into schema_version (version) values (999)')
    expect(await run(['migrate'], { env })).toEqual(
      failed(
        /^The database has schema version 999, this program knows \d+: start a newer program, or restore a backup\.$/,
      ),
    )
    expect(await run(['migrate'], { env: { DATABASE_URL: 'postgres://127.0.0.1:1/x' } })).toEqual(
      failed(/^The database of DATABASE_URL cannot be used: .*ECONNREFUSED.*$/),
    )
  } finally {
    await database.close()
  }
  expect(await run(['migrate'], { env: { LRS_DATA_DIR: temporaryFolder() } })).toEqual(
    failed(/^There is no database in .*: run "npm start" first, or set LRS_DATA_DIR to its data folder\.$/),
  )
})

test('what runs until Ctrl-C ends with it, cleanly', async () => {
  const game = await system.game()
  const one = statement()
  await game.xapi().post(one)
  const tail = command(['statements', 'tail', '--key', game.key, '-n', '1', '--json'], { env: connected() })
  await eventually(
    () => tail.said.out.endsWith('\n'),
    () => `a statement: ${tail.said.out} ${tail.said.error}`,
  )
  tail.process.kill('SIGINT')
  expect(await tail.ended).toEqual({ code: 130, out: expect.stringContaining(one.id), error: 'Interrupted.' })
})

test('the audit log is verified from the oldest entry on, against a head that was noted, too', async () => {
  await system.database.sql("insert into audit_entry (action, actor) values ('some.thing', 'service')")
  const { head } = await json('audit', 'verify')
  expect(head).toMatch(/^\d+:[0-9a-f]{64}$/)
  expect((await admin('audit', 'verify', '--head', head)).out).toMatch(
    /none was changed.*The chain has the noted head/s,
  )
  const other = head.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))
  expect(await admin('audit', 'verify', '--head', other)).toEqual(failed(/has another hash now/))
  expect(await admin('audit', 'verify', '--head', 'x')).toEqual(failed(/position and its hash/, 2))
})

test('the audit log is listed and exported, with filters', async () => {
  const { slug } = await addStudio(system, 'Watched')
  await admin('quotas', 'set', slug, 'games', '30')
  await admin('reservations', 'grant', slug, 'https://watched.example/a/')
  expect((await admin('audit', 'list', '--studio', slug)).out.replaceAll(/ +/g, ' ')).toMatch(
    /^TIME .*\n[\d: -]+ studio\.reserve-prefix admin Watched ok 127\.0\.0\.1 prefix=https:\/\/watched\.example\/a\/\n[\d: -]+ studio\.set-quota admin Watched ok 127\.0\.0\.1 limit=30 quota=games$/,
  )
  expect(await json('audit', 'list', '--studio', slug, '--action', 'studio.set-quota')).toMatchObject({
    entries: [{ action: 'studio.set-quota', actor: { kind: 'service', id: 'admin' }, subject: { name: 'Watched' } }],
  })
  expect((await json('audit', 'list', '--studio', slug, '--until', '2026-01-01')).entries).toEqual([])
  expect((await admin('audit', 'list', '--limit', '1')).error).toBe('Only the first one is shown: --limit shows more.')
  expect(await admin('audit', 'list', '--since', 'yesterday')).toEqual(failed(/a day or a time/, 2))
  // the export leaves out the last seconds
  await system.database.sql(
    `insert into audit_entry (id, action, actor) select audit_id(now() - make_interval(mins => 300 - n)), 'test.' || n,
      'service'
    from generate_series(1, 250) n`,
  )
  const lines = (await admin('audit', 'export', '--action', 'test')).out.split('\n').map((line) => JSON.parse(line))
  expect(lines.map(({ action }) => action)).toEqual(Array.from({ length: 250 }, (_, n) => `test.${n + 1}`))
  expect(lines[0].time).toMatch(/^\d{4}-.*Z$/)
})
