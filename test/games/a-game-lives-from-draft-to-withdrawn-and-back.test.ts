import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BuildKind, GameState } from '../../gen/lrs/v1/games_pb.js'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { failureOf } from '../support/failures.ts'
import { stageBuild } from '../support/studios.ts'
import { basic, xapiClient } from '../support/xapi.ts'
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
