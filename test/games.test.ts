import { randomUUID } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BuildKind, GameState } from '../gen/lrs/v1/games_pb.js'
import { Reason } from '../gen/lrs/v1/failure_pb.js'
import { failureOf } from './support/failures.ts'
import { addStudio, stageBuild, type Studio } from './support/studios.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { player, statement } from './support/statements.ts'
import { basic, bearer, xapiClient } from './support/xapi.ts'

let system: System
let fox: Studio
let owl: Studio
let reviewer: Studio
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 2 })
  ;[fox, owl, reviewer] = await Promise.all([
    addStudio(system, 'Blue Fox'),
    addStudio(system, 'Owl'),
    addStudio(system, 'Lynx', { reviewer: true }),
  ])
})
afterAll(() => system.close())

const refused = (reason: Reason, rest: { message?: RegExp; path?: string; rule?: string } = {}) =>
  expect.objectContaining({ reason, ...rest, ...(rest.message && { message: expect.stringMatching(rest.message) }) })
const conflict = (message: RegExp) => refused(Reason.CONFLICT, { message })
const view = async (studio: Studio, gameId: string) => (await studio.on().games.getGame({ gameId })).game!
/** Of calls made at once: how many were not refused. */
const successes = async (calls: Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled').length

async function newGame(studio: Studio, name = 'Quiz', kind: 'browser' | 'desktop' = 'browser') {
  const { gameId } = await studio.on().games.createGame({ name })
  await studio.on().games.updateGame({ gameId, name, summary: 'Three levels of questions', description: 'One\n\nTwo' })
  return { gameId, buildId: await stageBuild(system, gameId, kind) }
}
async function published(studio: Studio, name = 'Quiz', kind: 'browser' | 'desktop' = 'browser') {
  const game = await newGame(studio, name, kind)
  await studio.on().games.submitForReview({ gameId: game.gameId })
  const { key } = await reviewer.on().games.decideReview({ ...game, approved: true })
  return { ...game, key }
}

test('a whole life, from nothing over a rejection, publication and an update to being withdrawn and back', async () => {
  const { games } = fox.on()
  const { gameId } = await games.createGame({ name: '  Schach  für <b>alle</b> ' })
  expect(await view(fox, gameId)).toMatchObject({
    summary: {
      name: 'Schach für <b>alle</b>',
      slug: 'schach-fur-b-alle-b',
      state: GameState.DRAFT,
      studioName: 'Blue Fox',
      kind: BuildKind.UNSPECIFIED,
    },
    allowed: ['delete', 'upload'],
    reviews: [],
  })
  expect(await failureOf(games.submitForReview({ gameId }))).toEqual(conflict(/needs a summary.*, and a build\./))
  await games.updateGame({ gameId, name: 'Chess', summary: 'For all', description: ' a\r\nb ' })
  expect(await failureOf(games.submitForReview({ gameId }))).toEqual(conflict(/needs a build\./))
  const first = await stageBuild(system, gameId)
  await games.submitForReview({ gameId, message: 'Please' })
  expect(await view(fox, gameId)).toMatchObject({
    summary: { state: GameState.IN_REVIEW },
    description: 'a\nb',
    staged: { buildId: first, files: 3 },
    allowed: ['withdraw', 'sandbox'],
  })

  const waiting = (await reviewer.on().games.listReviews({})).reviews.find(({ game }) => game!.gameId === gameId)!
  expect(waiting).toMatchObject({
    build: { buildId: first },
    review: { message: 'Please', decided: 0n },
    game: { name: 'Chess' },
  })
  expect(
    await failureOf(reviewer.on().games.decideReview({ gameId, buildId: first, approved: false, note: '  ' })),
  ).toEqual(refused(Reason.INVALID, { path: 'note' }))
  expect(
    await reviewer.on().games.decideReview({ gameId, buildId: first, approved: false, note: 'No sound' }),
  ).toMatchObject({ state: GameState.REJECTED, key: '' })
  expect(await failureOf(reviewer.on().games.decideReview({ gameId, buildId: first, approved: true }))).toEqual(
    conflict(/decided or withdrawn in the meantime/),
  )

  const second = await stageBuild(system, gameId)
  expect((await view(fox, gameId)).summary!.state).toBe(GameState.DRAFT)
  await games.submitForReview({ gameId })
  const { key, state } = await reviewer
    .on(1)
    .games.decideReview({ gameId, buildId: second, approved: true, note: 'Nice' })
  expect(state).toBe(GameState.PUBLISHED)
  const { secret } = await games.revealSecret({ gameId })
  const seen = await view(fox, gameId)
  expect(seen).toMatchObject({
    live: { buildId: second },
    credential: { key, revealed: true, rotated: 0n },
    allowed: ['withdraw', 'upload', 'sandbox', 'rotate'],
  })
  expect(seen.staged).toBeUndefined()
  expect(seen.reviews.map(({ approved, note, buildId }) => [approved, note, buildId])).toEqual([
    [true, 'Nice', second],
    [false, 'No sound', first],
  ])
  const { slug } = seen.summary!
  await games.updateGame({ gameId, name: 'Chess of kings', summary: 'For kings', description: '' })
  expect(await system.admin.games.getPublishedGame({ slug })).toMatchObject({
    game: { name: 'Chess', slug },
    build: { buildId: second },
    studio: { slug: fox.slug },
  })

  const third = await stageBuild(system, gameId)
  await games.submitForReview({ gameId })
  expect((await games.withdraw({ gameId, state: GameState.UPDATE_IN_REVIEW })).state).toBe(GameState.UPDATE_STAGED)
  await games.submitForReview({ gameId })
  await system.admin.games.decideReview({ gameId, buildId: third, approved: true })
  expect(await view(fox, gameId)).toMatchObject({ live: { buildId: third }, credential: { key } })
  expect(await system.admin.games.getPublishedGame({ slug })).toMatchObject({
    game: { name: 'Chess of kings', slug },
    build: { buildId: third },
  })

  expect((await games.withdraw({ gameId })).state).toBe(GameState.WITHDRAWN)
  expect(await failureOf(system.admin.games.getPublishedGame({ slug }))).toEqual(refused(Reason.NOT_FOUND))
  expect((await xapiClient(system.urls[0]!, basic(key, secret)).get()).status).toBe(200)
  expect(await failureOf(games.deleteGame({ gameId }))).toEqual(conflict(/can be withdrawn, but not deleted/))
  await games.submitForReview({ gameId })
  await reviewer.on().games.decideReview({ gameId, buildId: third, approved: false, note: 'Why?' })
  expect((await view(fox, gameId)).summary!.state).toBe(GameState.WITHDRAWN)
  await games.submitForReview({ gameId })
  await reviewer.on().games.decideReview({ gameId, buildId: third, approved: true })
  expect(await view(fox, gameId)).toMatchObject({ summary: { state: GameState.PUBLISHED }, live: { buildId: third } })
})

describe('builds that are replaced', () => {
  const dueOf = async (buildId: string) =>
    (
      await system.database.sql<{ key: string; hours: number }>(
        `select key, round(extract(epoch from due - now()) / 3600)::int as hours from garbage where key like '%' || $1 || '%'`,
        [buildId],
      )
    )[0]

  test('of browsers stay as long as sessions may run, those of desktops for a week, in which they are shown', async () => {
    const [web, desktop] = [await published(fox, 'Web'), await published(fox, 'Desktop', 'desktop')]
    for (const { gameId } of [web, desktop]) {
      const buildId = await stageBuild(system, gameId, gameId === web.gameId ? 'browser' : 'desktop')
      await fox.on().games.submitForReview({ gameId })
      expect(await dueOf(gameId === web.gameId ? web.buildId : desktop.buildId)).toBeUndefined()
      await reviewer.on().games.decideReview({ gameId, buildId, approved: true })
    }
    expect(await dueOf(web.buildId)).toEqual({ key: `builds/${web.buildId}/`, hours: 3 })
    expect(await dueOf(desktop.buildId)).toEqual({ key: `packages/${desktop.buildId}/`, hours: 168 })
    expect((await view(fox, web.gameId)).inGrace).toEqual([])
    const { inGrace } = await view(fox, desktop.gameId)
    expect(inGrace).toMatchObject([
      { buildId: desktop.buildId, storageKey: `packages/${desktop.buildId}/quiz.AppImage` },
    ])
    expect(Number(inGrace[0]!.graceUntil) / 86_400 - Date.now() / 86_400_000).toBeCloseTo(7, 1)
  })
})

describe('creating and deleting', () => {
  test('two creations at 19 games: one wins; a deleted draft makes room and frees its name in addresses', async () => {
    const crow = await addStudio(system, 'Crow')
    await Promise.all(Array.from({ length: 19 }, (_, n) => crow.on(n % 2).games.createGame({ name: 'Crow game' })))
    const slugs = (await crow.on().games.listGames({})).games.map(({ slug }) => slug)
    expect(new Set(slugs)).toEqual(
      new Set(['crow-game', ...Array.from({ length: 18 }, (_, n) => `crow-game-${n + 2}`)]),
    )
    expect(await successes([0, 1, 0, 1].map((core) => crow.on(core).games.createGame({ name: 'One more' })))).toBe(1)
    expect(await failureOf(crow.on().games.createGame({ name: 'Too many' }))).toEqual(
      refused(Reason.QUOTA_EXCEEDED, { rule: 'limits#games', message: /20 games, drafts included/ }),
    )
    const first = (await crow.on().games.listGames({})).games.find(({ slug }) => slug === 'crow-game')!
    await crow.on().games.deleteGame({ gameId: first.gameId })
    expect(await failureOf(crow.on().games.getGame({ gameId: first.gameId }))).toEqual(refused(Reason.NOT_FOUND))
    const { gameId } = await fox.on().games.createGame({ name: 'Crow game' })
    expect((await view(fox, gameId)).summary!.slug).toBe('crow-game')
    await crow.on().games.createGame({ name: 'Another one' })
    await system.database.sql('update studio set quotas = $2 where id = $1', [crow.id, { games: 21 }])
    expect(await successes([0, 1].map((core) => crow.on(core).games.createGame({ name: 'One more' })))).toBe(1)
  })

  test('what is deleted leaves files to the sweep, and credentials that have ended', async () => {
    const { gameId, buildId } = await newGame(fox, 'Short life')
    const file = randomUUID()
    const [game] = await system.database.sql<{ id: number }>('select id from game where uuid = $1', [gameId])
    const insert = `insert into game_file (uuid, game, kind, file_name, content_type, size, storage_key) values ($1, $2, 'gallery', 'a.png', 'image/png', 5, $3)`
    await system.database.sql(insert, [file, game!.id, `files/${file}`])
    const upload = randomUUID()
    const reserve = `insert into upload (uuid, studio, game, kind, file_name, size, expires) values ($1, $2, $3, 'gallery-image', 'b.png', 5, now() + interval '1 day')`
    await system.database.sql(reserve, [upload, fox.id, game!.id])
    const sandbox = `with t as (insert into game (name, sandbox_of) values ('sandbox', $1) returning id)
      insert into credential (key, game, secret_hash, authority, scopes) select $2, id, '', '', '{}' from t`
    await system.database.sql(sandbox, [game!.id, `sandbox-${gameId}`])
    expect(await view(fox, gameId)).toMatchObject({
      sandboxKey: `sandbox-${gameId}`,
      summary: { cover: `files/${file}` },
    })
    await fox.on().games.submitForReview({ gameId })
    expect(await failureOf(fox.on().games.deleteGame({ gameId }))).toEqual(conflict(/Withdraw it from review/))
    await fox.on().games.withdraw({ gameId })
    await fox.on().games.deleteGame({ gameId })
    const wanted = [`builds/${buildId}/`, `files/${file}`, `uploads/${upload}`]
    const garbage = await system.database.sql<{ key: string }>(
      'select key from garbage where due <= now() and key = any ($1) order by key',
      [wanted],
    )
    expect(garbage.map(({ key }) => key)).toEqual(wanted)
    const [credential] = await system.database.sql(
      'select version, revoked is not null as revoked from credential where key = $1',
      [`sandbox-${gameId}`],
    )
    expect(credential).toEqual({ version: 2, revoked: true })
    expect(await failureOf(fox.on().games.deleteGame({ gameId }))).toEqual(refused(Reason.NOT_FOUND))
  })

  test('studios that take one name at the same time get addresses of their own', async () => {
    const studios = await Promise.all(Array.from({ length: 6 }, () => addStudio(system, 'Twin')))
    const ids = await Promise.all(
      studios.map(async (studio, n) => (await studio.on(n % 2).games.createGame({ name: 'Twins' })).gameId),
    )
    const slugs = await Promise.all(ids.map(async (id, n) => (await view(studios[n]!, id)).summary!.slug))
    expect(slugs.toSorted()).toEqual(['twins', 'twins-2', 'twins-3', 'twins-4', 'twins-5', 'twins-6'])
  })

  test.each([
    ['', 'name', /must not be empty/],
    ['\u200b\u200f ', 'name', /must not be empty/],
    ['a\u202eb', 'name', /control characters/],
    ['a\u0007b', 'name', /control characters/],
    ['x'.repeat(101), 'name', /100 characters at most, but has 101/],
  ])('the name %j is refused', async (name, path, message) => {
    expect(await failureOf(fox.on().games.createGame({ name }))).toEqual(refused(Reason.INVALID, { path, message }))
  })

  test('names without Latin letters have addresses too', async () => {
    const { gameId } = await owl.on().games.createGame({ name: 'Шахматы ♟' })
    const { slug } = (await view(owl, gameId)).summary!
    expect(slug).toMatch(/^game(-\d+)?$/)
    await owl.on().games.updateGame({ gameId, name: 'Owl chess', summary: '', description: '' })
    expect((await view(owl, gameId)).summary!.slug).toBe('owl-chess')
  })
})

describe('races', () => {
  test('two decisions at once: one wins', async () => {
    for (let round = 0; round < 5; round++) {
      const { gameId, buildId } = await newGame(owl, 'Race')
      await owl.on().games.submitForReview({ gameId })
      const decisions = [
        reviewer.on(0).games.decideReview({ gameId, buildId, approved: true }),
        system.connections[1]!.as(bearer(tokens.admin)).games.decideReview({
          gameId,
          buildId,
          approved: false,
          note: 'No',
        }),
      ]
      expect(await successes(decisions)).toBe(1)
      const { reviews, summary, credential } = await view(owl, gameId)
      expect(reviews.length).toBe(1)
      expect(summary!.state).toBe(reviews[0]!.approved ? GameState.PUBLISHED : GameState.REJECTED)
      expect(credential !== undefined).toBe(reviews[0]!.approved)
      if (credential) await owl.on().games.withdraw({ gameId })
      else await owl.on().games.deleteGame({ gameId })
    }
  })

  test('approval and taking back at once: one wins, and nothing that was approved is withdrawn by it', async () => {
    for (let round = 0; round < 5; round++) {
      const { gameId, buildId } = await newGame(reviewer, 'Race')
      await reviewer.on().games.submitForReview({ gameId })
      const calls = [
        system.admin.games.decideReview({ gameId, buildId, approved: true }),
        reviewer.on(1).games.withdraw({ gameId, state: GameState.IN_REVIEW }),
      ]
      expect(await successes(round % 2 ? calls : calls.toReversed())).toBe(1)
      const { reviews, summary } = await view(reviewer, gameId)
      expect([summary!.state, reviews[0]!.approved, reviews[0]!.withdrawn]).toBeOneOf([
        [GameState.PUBLISHED, true, false],
        [GameState.DRAFT, false, true],
      ])
    }
  })

  test('a decision names the build that was looked at', async () => {
    const { gameId, buildId } = await newGame(fox, 'Looked at')
    await fox.on().games.submitForReview({ gameId })
    await fox.on().games.withdraw({ gameId })
    const another = await stageBuild(system, gameId)
    await fox.on().games.submitForReview({ gameId })
    expect(await failureOf(reviewer.on().games.decideReview({ gameId, buildId, approved: true }))).toEqual(
      conflict(/Another build is waiting/),
    )
    await reviewer.on().games.decideReview({ gameId, buildId: another, approved: true })
    expect((await view(fox, gameId)).live!.buildId).toBe(another)
  })
})

describe('who may', () => {
  test('foreign games are not there, in the same words as unknown ones', async () => {
    const { gameId } = await newGame(fox, 'Secret plan')
    const calls = (gameId: string) => {
      const { games } = owl.on()
      const texts = { name: 'Mine', summary: '', description: '' }
      return [
        games.getGame({ gameId }),
        games.updateGame({ gameId, ...texts }),
        games.deleteGame({ gameId }),
        games.submitForReview({ gameId }),
        games.withdraw({ gameId }),
        games.revealSecret({ gameId }),
        games.rotateSecret({ gameId }),
        games.describeFile({ gameId, fileId: gameId, text: '' }),
        games.moveFile({ gameId, fileId: gameId }),
        games.removeFile({ gameId, fileId: gameId }),
        reviewer.on().games.getGame({ gameId }),
        reviewer.on().games.deleteGame({ gameId }),
      ]
    }
    const foreign = await Promise.all(calls(gameId).map(failureOf))
    for (const one of foreign) expect(one).toEqual(refused(Reason.NOT_FOUND))
    expect(await Promise.all(calls(randomUUID()).map(failureOf))).toEqual(foreign)
    expect((await owl.on().games.listGames({})).games.map(({ gameId }) => gameId)).not.toContain(gameId)
    expect((await view(fox, gameId)).summary!.name).toBe('Secret plan')
  })

  test('a reviewer sees what is in review, without what is only for the studio, and does not decide on games of their own', async () => {
    const { gameId, buildId } = await newGame(fox, 'For review')
    await fox.on().games.submitForReview({ gameId })
    const { game } = await reviewer.on().games.getGame({ gameId })
    expect(game).toMatchObject({ description: 'One\n\nTwo', staged: { buildId }, allowed: [], sandboxKey: '' })
    expect(await failureOf(owl.on().games.decideReview({ gameId, buildId, approved: true }))).toEqual(
      refused(Reason.FORBIDDEN),
    )
    expect(await failureOf(owl.on().games.listReviews({}))).toEqual(refused(Reason.FORBIDDEN))
    const own = await newGame(reviewer, 'My own')
    await reviewer.on().games.submitForReview({ gameId: own.gameId })
    expect(await failureOf(reviewer.on().games.decideReview({ ...own, approved: true }))).toEqual(
      refused(Reason.FORBIDDEN, { message: /cannot review its own games/ }),
    )
    expect((await system.admin.games.decideReview({ ...own, approved: true })).state).toBe(GameState.PUBLISHED)
    expect(await failureOf(fox.on().games.decideReview({ gameId, buildId, approved: true }))).toEqual(
      refused(Reason.FORBIDDEN),
    )
    await reviewer.on().games.decideReview({ gameId, buildId, approved: true })
    const update = await stageBuild(system, gameId)
    await fox.on().games.submitForReview({ gameId })
    expect((await view(fox, gameId)).credential).toBeDefined()
    expect((await view(reviewer, gameId)).credential).toBeUndefined()
    await reviewer.on().games.decideReview({ gameId, buildId: update, approved: false, note: 'No' })
    expect(await failureOf(reviewer.on().games.getGame({ gameId }))).toEqual(refused(Reason.NOT_FOUND))
  })

  test('the portal without a session sees what is public, an admin sees all and withdraws', async () => {
    const game = await published(owl, 'Public one')
    const portal = system.connections[1]!.as(bearer(tokens.portal)).games
    expect((await portal.listPublishedGames({ studioSlug: owl.slug })).games[0]).toMatchObject({
      gameId: game.gameId,
      kind: BuildKind.BROWSER,
    })
    expect((await portal.listPublishedGames({})).games.map(({ gameId }) => gameId)).toContain(game.gameId)
    expect((await portal.listPublishedGames({ studioSlug: 'nobody' })).games).toEqual([])
    for (const call of [
      portal.listGames({}),
      portal.getGame(game),
      portal.createGame({ name: 'x' }),
      portal.listReviews({}),
      portal.decideReview({ ...game, approved: true }),
      portal.withdraw(game),
    ]) {
      expect(await failureOf(call)).toEqual(refused(Reason.UNAUTHENTICATED))
    }
    const gateway = system.connections[0]!.as(bearer(tokens.gateway)).games.listPublishedGames({})
    expect(await gateway.catch((error) => ConnectError.from(error).code)).toBe(Code.PermissionDenied)
    expect((await system.admin.games.listGames({})).games.map(({ studioName }) => studioName)).toEqual(
      expect.arrayContaining(['Owl', 'Blue Fox']),
    )
    expect(await failureOf(system.admin.games.revealSecret(game))).toEqual(refused(Reason.UNAUTHENTICATED))
    expect((await system.admin.games.withdraw(game)).state).toBe(GameState.WITHDRAWN)
  })
})

test('files are described and removed, the first image is the cover', async () => {
  const { gameId } = await fox.on().games.createGame({ name: 'Gallery' })
  const [a, b, note] = [randomUUID(), randomUUID(), randomUUID()]
  const insert = `insert into game_file (uuid, game, kind, file_name, content_type, size, storage_key)
    select $1::uuid, id, $2, 'file', 'image/png', 5, 'files/' || $1::uuid from game where uuid = $3`
  for (const [file, kind] of [
    [a, 'gallery'],
    [b, 'gallery'],
    [note, 'teaching-note'],
  ])
    await system.database.sql(insert, [file, kind, gameId])
  await fox.on().games.describeFile({ gameId, fileId: a, text: ' The  board ' })
  const { games } = fox.on(1)
  const order = async () => (await view(fox, gameId)).gallery.map(({ fileId }) => fileId)
  for (const [fileId, later, becomes] of [
    [b, false, [b, a]],
    [b, false, [b, a]],
    [a, true, [b, a]],
    [b, true, [a, b]],
  ] as const) {
    await games.moveFile({ gameId, fileId, later })
    expect(await order()).toEqual(becomes)
  }
  expect((await view(fox, gameId)).teachingNotes.map(({ fileId }) => fileId)).toEqual([note])
  expect(await failureOf(games.moveFile({ gameId, fileId: gameId }))).toEqual(refused(Reason.NOT_FOUND))
  expect(await view(fox, gameId)).toMatchObject({
    summary: { cover: `files/${a}`, coverText: 'The board' },
    teachingNotes: [{ fileId: note }],
  })
  await fox.on().games.removeFile({ gameId, fileId: a })
  const { gallery, summary } = await view(fox, gameId)
  expect([gallery.map(({ fileId }) => fileId), summary!.cover]).toEqual([[b], `files/${b}`])
  expect(
    await system.database.sql('select key from garbage where key = $1 and due <= now()', [`files/${a}`]),
  ).toHaveLength(1)
  expect(await failureOf(fox.on().games.removeFile({ gameId, fileId: a }))).toEqual(refused(Reason.NOT_FOUND))
  expect(await failureOf(fox.on().games.describeFile({ gameId, fileId: b, text: 'x'.repeat(301) }))).toEqual(
    refused(Reason.INVALID, { path: 'text' }),
  )
})

describe('the secret', () => {
  test('is shown once: of two who ask at once, one sees it, and only its hash is kept', async () => {
    const game = await newGame(owl, 'Secretive')
    expect(await failureOf(owl.on().games.revealSecret(game))).toEqual(conflict(/gets one with its next approval/))
    await owl.on().games.submitForReview(game)
    await reviewer.on().games.decideReview({ ...game, approved: true })
    expect((await view(owl, game.gameId)).allowed).toContain('reveal')
    const shown = await Promise.allSettled([0, 1, 0, 1].map((core) => owl.on(core).games.revealSecret(game)))
    const [one, ...more] = shown.filter((result) => result.status === 'fulfilled').map(({ value }) => value)
    expect(more).toEqual([])
    expect((await xapiClient(system.urls[1]!, basic(one!.key, one!.secret)).post(statement())).status).toBe(200)
    expect(await failureOf(owl.on().games.revealSecret(game))).toEqual(conflict(/rotate it for a new one/))
    const [row] = await system.database.sql<{ all: string }>('select c::text as all from credential c where key = $1', [
      one!.key,
    ])
    expect(row!.all).not.toContain(one!.secret)
  })

  test('rotated: the old one ends at once through the other core, a launch session goes on', async () => {
    const game = await published(owl, 'Rotating')
    const { key, secret } = await owl.on().games.revealSecret(game)
    const { token } = await system.admin.identity.mintLaunchToken({ key, actor: JSON.stringify(player('ann')) })
    const status = async (authorization: string) =>
      Promise.all(
        system.urls.flatMap((url) =>
          [1, 2].map(async () => (await xapiClient(url, authorization).get({ limit: 1 })).status),
        ),
      )
    expect([await status(basic(key, secret)), await status(bearer(token))]).toEqual([
      [200, 200, 200, 200],
      [200, 200, 200, 200],
    ])
    const rotated = await owl.on(1).games.rotateSecret(game)
    expect(rotated.key).toBe(key)
    expect([
      await status(basic(key, secret)),
      await status(basic(key, rotated.secret)),
      await status(bearer(token)),
    ]).toEqual([
      [401, 401, 401, 401],
      [200, 200, 200, 200],
      [200, 200, 200, 200],
    ])
    const { credential } = await view(owl, game.gameId)
    expect(Number(credential!.rotated)).toBeGreaterThan(1)
    const both = await Promise.all([0, 1].map((core) => owl.on(core).games.rotateSecret(game)))
    const statuses = await Promise.all(both.map(async ({ secret }) => (await status(basic(key, secret)))[0]))
    expect(statuses.toSorted()).toEqual([200, 401])
  })
})
