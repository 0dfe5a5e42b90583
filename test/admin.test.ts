import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endAll, freePorts, temporaryFolder } from '../start/fixtures/launch.ts'
import { noteRunning } from '../start/running.ts'
import { done, failed, run } from './support/admin.ts'
import { addStudio, stageBuild, type Studio } from './support/studios.ts'
import { startSystem, tokens, type System } from './support/system.ts'

let system: System
let fox: Studio
let coreUrl: string
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
  fox = await addStudio(system, 'Blue Fox')
  coreUrl = `http://127.0.0.1:${system.cores[0]!.port}`
})
afterAll(async () => {
  endAll()
  await system.close()
})

const connected = () => ({ LRS_CORE_URL: coreUrl, LRS_SERVICE_TOKEN: tokens.admin })
const admin = (...args: string[]) => run(args, { env: connected() })

test('reviews are found, rejected, approved and withdrawn, each by what the list says', async () => {
  const { games } = fox.on()
  const { gameId } = await games.createGame({ name: 'Chess' })
  expect(await admin('reviews', 'list')).toEqual(done('Nothing to review.'))
  await games.updateGame({ gameId, name: 'Chess', summary: 'For all', description: 'Two\nlines' })
  const build = await stageBuild(system, gameId)
  await games.submitForReview({ gameId, message: 'Please\nlook' })
  const { out } = await admin('reviews', 'list')
  const [head, row] = out.split('\n')
  expect(head).toMatch(/^GAME +NAME +STUDIO +BUILD +KIND +PAGE +SINCE \(UTC\) +MESSAGE$/)
  expect(row).toMatch(
    new RegExp(`^chess +Chess +Blue Fox +${build} +browser +2 +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +Please look$`),
  )
  expect(head!.indexOf('BUILD')).toBe(row!.indexOf(build))
  expect(JSON.parse((await admin('reviews', 'list', '--json')).out)).toMatchObject({
    reviews: [
      { build: { buildId: build, size: '1000' }, game: { gameId, state: 'GAME_STATE_IN_REVIEW', coverText: '' } },
    ],
  })

  expect(await admin('games', 'approve', 'chess', '--build', crypto.randomUUID())).toEqual(
    failed(/^Another build is waiting for review now\. Review that one\.$/),
  )
  expect(await admin('games', 'approve', 'chess', '--build', 'x')).toEqual(
    failed(/^"x" is not the id of a build: "reviews list" shows the ids\. 8 characters are enough\.$/, 2),
  )
  expect(await admin('games', 'approve', 'chess', '--build', '00000000')).toEqual(
    failed(/^No build of this game begins with 00000000: "reviews list" shows the ids\.$/),
  )
  expect(await admin('games', 'reject', 'chess', '--build', `${build.slice(0, 8)}…`, '--note', 'No sound')).toEqual(
    done('Rejected: the game is rejected.'),
  )
  await games.submitForReview({ gameId })
  expect(await admin('games', 'approve', gameId, '--build', build, '--json')).toEqual(
    done(expect.stringMatching(/"state": "GAME_STATE_PUBLISHED",\s+"key": "[0-9a-f]{24}"/)),
  )
  expect((await admin('games', 'list')).out).toMatch(
    new RegExp(`^${gameId}  chess  Chess  Blue Fox  published  browser  [0-9a-f]{24}  secret not shown yet  `, 'm'),
  )
  const shown = (await admin('games', 'show', 'chess')).out
  expect(shown).toMatch(/^description +Two\n +lines$/m)
  expect(shown).toMatch(
    new RegExp(`^live build +${build} \\(build 1, browser, quiz.zip, 1,000 bytes, 3 files\\)$`, 'm'),
  )
  expect(shown).toMatch(/^key +[0-9a-f]{24} \(secret not shown yet\)$/m)
  expect(shown).toMatch(/^review +.* rejected\n +studio: Please\n +look\n +reviewer: No sound$/m)
  expect(await admin('games', 'withdraw', 'chess')).toEqual(done('The game is withdrawn.'))
  expect(await admin('games', 'withdraw', 'chess')).toEqual(failed(/^The game is withdrawn already\.$/))
})

test('games without a studio are listed and shown too, with their credential and its state', async () => {
  const { identity } = system.admin
  const { gameId } = JSON.parse((await admin('games', 'create', ' Made by an admin ', '--json')).out)
  expect((await admin('games', 'create', 'Other')).out).toMatch(
    /^name  Other\nid    ([0-9a-f-]{36})\n"credentials issue \1" creates its key and secret\.$/,
  )
  expect(await admin('games', 'create', ' ')).toEqual(failed(/^A game needs a name\.$/, 2))
  expect(await admin('games', 'create', 'x'.repeat(201))).toEqual(failed(/^name: must be at most 200 characters$/))
  const row = async () => (await admin('games', 'list')).out.split('\n').find((line) => line.includes(gameId))
  expect(await row()).toMatch(/  Made by an admin +none +\d{4}-\d\d-\d\d \d\d:\d\d$/)
  const { key } = await identity.issueCredential({ gameId })
  expect(await row()).toMatch(new RegExp(`  ${key}  valid  `))
  const shown = (await admin('games', 'show', gameId)).out
  expect(shown).toMatch(/^studio +none$/m)
  expect(shown).toMatch(new RegExp(`^key +${key} \\(valid\\)$`, 'm'))
  expect(shown).not.toMatch(/^(state|slug|files)/m)
  expect((await admin('statements', 'query', '--game', gameId)).code).toBe(0)
  for (const args of [
    ['withdraw', gameId],
    ['approve', gameId, '--build', crypto.randomUUID()],
  ]) {
    expect(await admin('games', ...args)).toEqual(
      failed(/^The game \S+ has no studio, so it is neither reviewed nor public\./),
    )
  }
  expect(await admin('games', 'show', crypto.randomUUID())).toEqual(
    failed(/^There is no game with this id: "games list" shows them\.$/),
  )
  await identity.revokeCredential({ key })
  expect(await row()).toMatch(new RegExp(`  ${key}  revoked  `))
  const { games } = JSON.parse((await admin('games', 'list', '--json')).out)
  expect(games.find((game: { gameId: string }) => game.gameId === gameId)).toMatchObject({
    state: 'GAME_STATE_UNSPECIFIED',
    studioSlug: '',
    credential: { key, revoked: expect.stringMatching(/^[1-9]/) },
  })
  // a sandbox is a part of its game, and nobody else is told of keys
  const own = fox.on().games
  const { gameId: mine } = await own.createGame({ name: 'Go' })
  await stageBuild(system, mine)
  await fox.on().launches.openSandbox({ gameId: mine })
  const ids = (await system.admin.games.listGames({})).games.map((game) => game.gameId)
  const kept = await system.database.sql<{ uuid: string }>(
    'select uuid from game where sandbox_of is null and deleted is null',
  )
  expect(ids.toSorted()).toEqual(kept.map(({ uuid }) => uuid).toSorted())
  expect((await own.listGames({})).games.map(({ credential }) => credential)).toEqual(
    expect.not.arrayContaining([expect.anything()]),
  )
  expect((await own.listGames({ slug: 'go' })).games.map(({ gameId }) => gameId)).toEqual([mine])
  expect((await own.listGames({ slug: 'nothing' })).games).toEqual([])
})

test('changed profiles are listed and decided as the reviewer saw them, unless the studio is trusted', async () => {
  await system.database.sql(
    `update studio set accepted_name = 'Fox', accepted_about = '', accepted_website = '' where id = $1`,
    [fox.id],
  )
  expect((await admin('reviews', 'list')).out).toMatch(
    new RegExp(`STUDIO +NAME +NEW NAME +CHANGES +SINCE \\(UTC\\)\n${fox.slug} +Fox +Blue Fox +1 `),
  )
  expect(await admin('studios', 'approve', fox.slug, '--changes', '2')).toEqual(
    failed(/^The profile has changed\. Review it again\.$/),
  )
  expect(await admin('studios', 'reject', fox.slug, '--changes', '1', '--note', 'No')).toEqual(
    done(`Rejected: the profile of ${fox.slug}.`),
  )
  expect(await admin('studios', 'approve', fox.slug, '--changes', '1')).toEqual(
    failed(/^No profile of .* waits for a decision/),
  )
  await fox.on().accounts.updateStudio({ name: 'Red Fox', about: '', website: '' })
  expect(await admin('studios', 'approve', fox.slug, '--changes', '2')).toEqual(
    done(`Approved: the profile of ${fox.slug}.`),
  )
  expect(await admin('studios', 'trusted', fox.email)).toEqual(done(expect.stringContaining('are public at once now')))
  expect((await admin('studios', 'list')).out).toMatch(/^Red Fox +\S+ +\S+ +yes +\d/m)
  expect(await admin('studios', 'trusted', fox.email, '--off', '--json')).toEqual(
    done(JSON.stringify({ email: fox.email, trusted: false }, null, 2)),
  )
})

test('studios are listed, become reviewers, and get a new password', async () => {
  const email = 'ann@example.org'
  const { accounts } = system.admin
  const { session } = await accounts.signUp({
    email,
    password: 'a long enough one',
    studioName: 'Ann & <b>Co</b>',
    senderIp: '127.0.0.1',
  })
  expect(session).not.toBe('')
  expect((await admin('studios', 'list')).out).toMatch(/^Ann & <b>Co<\/b> +\S+ +ann@example\.org +0 +\d{4}-/m)
  expect(await admin('accounts', 'reviewer', email)).toEqual(done('ann@example.org can review games now.'))
  expect(JSON.parse((await admin('studios', 'list', '--json')).out).studios).toContainEqual(
    expect.objectContaining({ email, reviewer: true }),
  )
  expect(await admin('accounts', 'reviewer', email, '--off', '--json')).toEqual(
    done(JSON.stringify({ email, reviewer: false }, null, 2)),
  )
  const { password } = JSON.parse((await admin('accounts', 'reset-password', email, '--json')).out)
  expect((await accounts.signIn({ email, password, senderIp: '127.0.0.1' })).session).not.toBe('')
  expect((await admin('accounts', 'reset-password', 'nobody@example.org')).code).toBe(1)
})

describe('where core is', () => {
  test('without any setting: what npm start keeps for this machine', async () => {
    const LRS_DATA_DIR = temporaryFolder()
    const env = { LRS_DATA_DIR, CORE_PORT: `${system.cores[0]!.port}` }
    expect(await run(['games', 'list'], { env })).toEqual({
      code: 2,
      out: '',
      error: expect.stringMatching(
        /^There is no admin token in .*secrets\.json: run "npm start" first, or set LRS_DATA_DIR/,
      ),
    })
    writeFileSync(join(LRS_DATA_DIR, 'secrets.json'), JSON.stringify({ serviceTokens: { admin: tokens.admin } }))
    expect((await run(['games', 'list'], { env })).code).toBe(0)
    mkdirSync(join(LRS_DATA_DIR, 'empty'))
    expect(
      (
        await run(['games', 'list'], {
          env: {
            ...env,
            LRS_DATA_DIR: join(LRS_DATA_DIR, 'empty'),
            LRS_SERVICE_TOKENS: `portal=x, admin=${tokens.admin}`,
          },
        })
      ).code,
    ).toBe(0)
  })

  test('a system that runs on the data folder is found by itself, on whatever port', async () => {
    const LRS_DATA_DIR = temporaryFolder()
    writeFileSync(join(LRS_DATA_DIR, 'secrets.json'), JSON.stringify({ serviceTokens: { admin: tokens.admin } }))
    const forget = noteRunning(LRS_DATA_DIR, { CORE_PORT: system.cores[0]!.port })
    expect((await run(['games', 'list'], { env: { LRS_DATA_DIR } })).code).toBe(0)
    expect(await run(['games', 'list'], { env: { LRS_DATA_DIR, CORE_PORT: '1' } })).toEqual(
      failed(/^Core does not answer at http:\/\/127\.0\.0\.1:1: run "npm start" here, or set its address with /, 3),
    )
    forget()
  })

  test('options win over the environment', async () => {
    const wrong = { LRS_CORE_URL: 'http://127.0.0.1:1', LRS_SERVICE_TOKEN: 'x'.repeat(16) }
    expect((await run(['games', 'list', '--core', coreUrl, '--token', tokens.admin], { env: wrong })).code).toBe(0)
    expect((await run(['--core', coreUrl, '--token', tokens.admin, 'games', 'list'], { env: wrong })).code).toBe(0)
    expect((await run(['games', 'list'], { env: { CORE_URL: coreUrl, LRS_SERVICE_TOKEN: tokens.admin } })).code).toBe(0)
  })

  test('an unused port, another server, a wrong token: one line each', async () => {
    const [port] = await freePorts(1)
    expect(await admin('games', 'list', '--core', `http://127.0.0.1:${port}`)).toEqual(
      failed(/^Core does not answer at http:\/\/127\.0\.0\.1:\d+: start it, .*$/, 3),
    )
    expect(await admin('games', 'list', '--core', `${coreUrl}/elsewhere`)).toEqual(
      failed(/^http:.* answers, but not as a core of this version\. The port of core is CORE_PORT .*$/),
    )
    expect(await admin('games', 'list', '--core', coreUrl.replace('http:', 'https:'))).toEqual(
      failed(
        /^https:.* answers, but not as a core of this version\. .* Core itself does not speak TLS: https: needs a proxy in front of it\.$/,
      ),
    )
    expect(await admin('games', 'list', '--token', 'x'.repeat(16))).toEqual(
      failed(
        /^The core at http:\/\/127\.0\.0\.1:\d+ rejects the token of --token\. It must be the admin token in LRS_SERVICE_TOKENS of core\.$/,
      ),
    )
    for (const token of [tokens.gateway, tokens.portal]) {
      expect(await admin('games', 'list', '--token', token)).toEqual(
        failed(
          /^The token of --token has another role\. It must be the admin token in LRS_SERVICE_TOKENS of http:.*\.$/,
        ),
      )
    }
    expect(await admin('games', 'show', 'no-such-game')).toEqual(failed(/^There is no game "no-such-game": .*$/))
  })
})

describe('usage', () => {
  test('a setting that is none is told on stderr, with the nearest one', async () => {
    const env = { ...connected(), LRS_CORE_URI: 'http://x', 'LRS_\u001b[2Jx': 'y' }
    expect(await run(['reviews', 'list'], { env })).toEqual(
      done(
        'Nothing to review.',
        'LRS_??2Jx is not a setting; docs/settings.md names all\nLRS_CORE_URI is not a setting; did you mean ' +
          'LRS_CORE_URL?',
      ),
    )
    expect((await run(['--help'], { env })).error).toBe('')
  })

  test('help needs no core, and shows examples', async () => {
    const { code, out } = await run(['--help'])
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/Examples:\n {2}games-lrs profile add live --core https:.*\n/),
    ])
    expect((await run(['games', 'approve', '--help'])).out).toMatch(/--build <id>/)
    expect(await run(['help', 'games'])).toEqual(done(expect.stringMatching(/^Usage: games-lrs games /)))
    expect(await run(['--version'])).toEqual(done(expect.stringMatching(/^\d+\.\d+\.\d+$/)))
  })

  test.each([
    [[], /^Usage: games-lrs/],
    [['games'], /^Usage: games-lrs games/],
    [['games', 'lst'], /^error: unknown command 'lst'/],
    [['games', 'list', '--jsn'], /^error: unknown option '--jsn'/],
    [['games', 'show'], /^error: missing required argument 'game'/],
    [['games', 'approve', 'chess'], /^error: required option '--build <id>' not specified/],
    [['games', 'reject', 'chess', '--build', 'x'], /^error: required option '--note <text>' not specified/],
    [
      ['games', 'list', '--core', 'ftp://x'],
      /^--core is not an accepted address, but must be http:\/\/… or https:\/\/…\.$/,
    ],
    [['games', 'list', '--token', 'short'], /^--token is set, but must be a token of at least 16 characters\.$/],
  ])('%j is refused with 2', async (args, error) => {
    expect(await admin(...args)).toEqual({ code: 2, out: '', error: expect.stringMatching(error) })
  })
})

test('accounts are listed and shown with their studios, and may own more when an admin allows it', async () => {
  const owl = await addStudio(system, 'Owl')
  expect((await admin('accounts', 'list')).out).toMatch(
    new RegExp(`^${owl.email} +${owl.slug} \\(owner\\) +\\d{4}-[\\d: -]+$`, 'm'),
  )
  expect(await admin('accounts', 'allow', owl.email, '--studios', '2')).toEqual(
    done(`${owl.email} may own 2 studios now.`),
  )
  const { out } = await admin('accounts', 'show', owl.email.toUpperCase())
  expect(out).toMatch(/^may own +2 studios$/m)
  expect(out).toMatch(new RegExp(`^studios +${owl.slug}: owner of Owl$`, 'm'))
  expect(JSON.parse((await admin('accounts', 'show', owl.email, '--json')).out)).toMatchObject({
    email: owl.email,
    mayOwn: 2,
    studios: [{ slug: owl.slug, role: 'MEMBER_ROLE_OWNER' }],
  })
  expect(await admin('accounts', 'show', 'nobody@example.org')).toEqual(failed(/^There is no account with this/))
  expect(await admin('accounts', 'allow', 'nobody@example.org', '--studios', '2')).toEqual(
    failed(/^There is no account/),
  )
  expect(await admin('accounts', 'allow', owl.email, '--studios', 'many')).toEqual(failed(/^--studios must be/, 2))
})
