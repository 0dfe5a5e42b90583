import { randomUUID } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BuildKind, GameState } from '../../gen/lrs/v1/games_pb.js'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { failureOf } from '../support/failures.ts'
import { stageBuild } from '../support/studios.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'
import { refused, startGames, type Games, view } from './games.ts'

let { system, fox, owl, reviewer, newGame, published } = {} as Games
beforeAll(async () => {
  ;({ system, fox, owl, reviewer, newGame, published } = await startGames())
})
afterAll(() => system.close())

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
