import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GameState } from '../../gen/lrs/v1/games_pb.js'
import { failureOf } from '../support/failures.ts'
import { stageBuild } from '../support/studios.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'
import { conflict, startGames, successes, type Games, view } from './games.ts'

let { system, fox, owl, reviewer, newGame } = {} as Games
beforeAll(async () => {
  ;({ system, fox, owl, reviewer, newGame } = await startGames())
})
afterAll(() => system.close())

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
