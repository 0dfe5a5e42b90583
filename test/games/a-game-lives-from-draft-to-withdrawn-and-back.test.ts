import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BuildKind, GameState } from '../../gen/lrs/v1/games_pb.js'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { failureOf } from '../support/failures.ts'
import { stageBuild } from '../support/studios.ts'
import { tokens } from '../support/system.ts'
import { basic, bearer, xapiClient } from '../support/xapi.ts'
import { conflict, refused, startGames, type Games, view } from './games.ts'

let { system, fox, reviewer, published } = {} as Games
beforeAll(async () => {
  ;({ system, fox, reviewer, published } = await startGames())
})
afterAll(() => system.close())

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

  test('that were replaced are kept for 30 days; those of desktops can be downloaded for a week', async () => {
    const [web, desktop] = [await published(fox, 'Web'), await published(fox, 'Desktop', 'desktop')]
    for (const { gameId } of [web, desktop]) {
      const buildId = await stageBuild(system, gameId, gameId === web.gameId ? 'browser' : 'desktop')
      await fox.on().games.submitForReview({ gameId })
      expect(await dueOf(gameId === web.gameId ? web.buildId : desktop.buildId)).toBeUndefined()
      await reviewer.on().games.decideReview({ gameId, buildId, approved: true })
    }
    expect(await dueOf(web.buildId)).toEqual({ key: `builds/${web.buildId}/`, hours: 720 })
    expect(await dueOf(desktop.buildId)).toEqual({ key: `packages/${desktop.buildId}/`, hours: 720 })
    expect((await view(fox, web.gameId)).inGrace).toEqual([])
    const { inGrace } = await view(fox, desktop.gameId)
    expect(inGrace).toMatchObject([
      { buildId: desktop.buildId, storageKey: `packages/${desktop.buildId}/quiz.AppImage` },
    ])
    expect(Number(inGrace[0]!.graceUntil) / 86_400 - Date.now() / 86_400_000).toBeCloseTo(7, 1)
  })
})

test('a game is found by words and facts that a reviewer accepted, and by the name of its studio', async () => {
  const { gameId } = await published(fox, 'Brüche üben')
  const everybody = system.connections[0]!.as(bearer(tokens.portal)).games
  const found = async (wanted: object) =>
    (await everybody.listPublishedGames(wanted)).games.filter((game) => game.gameId === gameId).length
  const facts = { subject: 'maths', ageFrom: 8, languages: ['de'], minutes: 30 }
  expect([await found({ words: 'bruche uben blue' }), await found({ words: 'bruche owl' })]).toEqual([1, 0])
  await fox.on().games.updateGame({ gameId, name: 'Brüche üben', summary: 'Pizza teilen', facts })
  expect([await found({ subject: 'maths' }), await found({ words: 'pizza' })]).toEqual([0, 0])
  expect(await view(fox, gameId)).toMatchObject({ summary: { facts }, accepted: { facts: {} }, changed: true })
  await fox.on().games.submitForReview({ gameId })
  const { live } = await view(fox, gameId)
  await reviewer.on().games.decideReview({ gameId, buildId: live!.buildId, approved: true })
  for (const [wanted, count] of [
    [{ words: 'PIZZ', subject: 'maths', age: 12, language: 'de-AT', minutes: 45 }, 1],
    [{ age: 7 }, 0],
    [{ minutes: 20 }, 0],
    [{ language: 'en' }, 0],
    [{ words: 'nowhere' }, 0],
  ] as const)
    expect([wanted, await found(wanted)]).toEqual([wanted, count])
  expect(await failureOf(found({ subject: 'magic' }))).toEqual(refused(Reason.INVALID, { path: 'subject' }))
  await fox.on().accounts.updateStudio({ name: 'Red Panda' })
  const { profiles } = await reviewer.on().games.listReviews({})
  const { studio, profile } = profiles.find(({ accepted }) => accepted!.name === 'Blue Fox')!
  expect(await found({ words: 'panda' })).toBe(0)
  await reviewer.on().accounts.decideProfile({ studioId: studio!.studioId, profile, approved: true })
  expect([await found({ words: 'panda pizza' }), await found({ words: 'fox' })]).toEqual([1, 0])
  await fox.on().games.withdraw({ gameId })
  expect(await found({ words: 'pizza' })).toBe(0)
})

test('anybody reports a published game, a few times; an admin closes the report', async () => {
  const { gameId } = await published(fox, 'Casino')
  const { slug } = (await view(fox, gameId)).summary!
  const { games } = system.connections[0]!.as(bearer(tokens.portal))
  const { operator } = system.connections[0]!.as(bearer(tokens.admin))
  const report = { slug, reason: 'advertising', text: ' It sells\r\nthings ', senderIp: '192.0.2.7' }
  expect(await failureOf(games.reportGame({ ...report, reason: 'dull' }))).toEqual(
    refused(Reason.INVALID, { path: 'reason' }),
  )
  expect(await failureOf(games.reportGame({ ...report, text: 'x'.repeat(1_001) }))).toEqual(
    refused(Reason.INVALID, { path: 'text' }),
  )
  expect(await failureOf(games.reportGame({ ...report, slug: 'none' }))).toEqual(refused(Reason.NOT_FOUND))
  for (let n = 0; n < 4; n++) await games.reportGame(report)
  expect(await failureOf(games.reportGame(report))).toEqual(refused(Reason.RATE_LIMITED, { rule: 'limits#report' }))
  // another network goes on, one sender only 4 times a day with one game, and one game keeps 100 open reports
  await system.database.sql(
    `insert into game_report (game, reason, text) select id, 'other', '' from game, generate_series(1, 96)
      where uuid = $1`,
    [gameId],
  )
  expect(await failureOf(games.reportGame({ ...report, senderIp: '192.0.2.8' }))).toEqual(
    refused(Reason.RATE_LIMITED, { path: 'reports' }),
  )
  await system.database.sql(`delete from portal_window where bucket = 'report'`)
  expect(await failureOf(games.reportGame(report))).toEqual(
    refused(Reason.RATE_LIMITED, { rule: 'limits#reportOfGame' }),
  )
  // a flood on one game leaves reports of other games in sight
  const other = (await view(fox, (await published(fox, 'Quiet')).gameId)).summary!
  await games.reportGame({ ...report, slug: other.slug, senderIp: '192.0.2.8' })
  const { reports } = await operator.listGameReports({})
  expect(reports).toHaveLength(101)
  expect(reports[1]).toMatchObject({ name: 'Quiet' })
  expect(reports[0]).toMatchObject({
    gameId,
    name: 'Casino',
    reason: 'advertising',
    text: 'It sells\nthings',
    closed: 0n,
  })
  const { reportId } = reports[0]!
  await operator.closeGameReport({ reportId, note: 'Withdrawn.' })
  expect(await failureOf(operator.closeGameReport({ reportId }))).toEqual(refused(Reason.NOT_FOUND))
  expect((await operator.listGameReports({})).reports.at(-1)).toMatchObject({ reportId, note: 'Withdrawn.' })
  await system.database.sql(`update game_report set closed = now() - interval '181 days' where uuid = $1`, [reportId])
  expect(await system.cores[0]!.store.reports.sweep(10)).toBe(1)
})
