import { expect } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { addStudio, stageBuild, type Studio } from '../support/studios.ts'
import { startSystem } from '../support/system.ts'

export const refused = (reason: Reason, rest: { message?: RegExp; path?: string; rule?: string } = {}) =>
  expect.objectContaining({ reason, ...rest, ...(rest.message && { message: expect.stringMatching(rest.message) }) })
export const conflict = (message: RegExp) => refused(Reason.CONFLICT, { message })
export const view = async (studio: Studio, gameId: string) => (await studio.on().games.getGame({ gameId })).game!
/** Of calls made at once: how many were not refused. */
export const successes = async (calls: Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled').length

/** Two cores and gateways, two studios, and one that reviews. */
export async function startGames() {
  const system = await startSystem({ cores: 2, gateways: 2 })
  const [fox, owl, reviewer] = await Promise.all([
    addStudio(system, 'Blue Fox'),
    addStudio(system, 'Owl'),
    addStudio(system, 'Lynx', { reviewer: true }),
  ])

  async function newGame(studio: Studio, name = 'Quiz', kind: 'browser' | 'desktop' = 'browser') {
    const { gameId } = await studio.on().games.createGame({ name })
    await studio
      .on()
      .games.updateGame({ gameId, name, summary: 'Three levels of questions', description: 'One\n\nTwo' })
    return { gameId, buildId: await stageBuild(system, gameId, kind) }
  }
  async function published(studio: Studio, name = 'Quiz', kind: 'browser' | 'desktop' = 'browser') {
    const game = await newGame(studio, name, kind)
    await studio.on().games.submitForReview({ gameId: game.gameId })
    const { key } = await reviewer.on().games.decideReview({ ...game, approved: true })
    return { ...game, key }
  }

  return { system, fox, owl, reviewer, newGame, published }
}

export type Games = Awaited<ReturnType<typeof startGames>>
