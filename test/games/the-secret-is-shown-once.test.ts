import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failureOf } from '../support/failures.ts'
import { player, statement } from '../support/statements.ts'
import { basic, bearer, xapiClient } from '../support/xapi.ts'
import { conflict, startGames, type Games, view } from './games.ts'

let { system, owl, reviewer, newGame, published } = {} as Games
beforeAll(async () => {
  ;({ system, owl, reviewer, newGame, published } = await startGames())
})
afterAll(() => system.close())

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
