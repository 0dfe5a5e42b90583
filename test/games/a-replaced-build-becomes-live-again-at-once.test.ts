import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweepStorage } from '../../core/games/command/sweep-storage.ts'
import { GameState } from '../../gen/lrs/v1/games_pb.js'
import { failureOf } from '../support/failures.ts'
import { stageBuild } from '../support/studios.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'
import { conflict, startGames, successes, type Games, view } from './games.ts'

let { system, fox, owl, reviewer, newGame, published } = {} as Games
beforeAll(async () => {
  ;({ system, fox, owl, reviewer, newGame, published } = await startGames())
})
afterAll(() => system.close())

const submit = (gameId: string) => fox.on().games.submitForReview({ gameId })
const approve = (gameId: string, buildId: string) =>
  reviewer.on().games.decideReview({ gameId, buildId, approved: true })

/** Publishes another build of the game. */
async function update(gameId: string, kind: 'browser' | 'desktop' = 'browser'): Promise<string> {
  const buildId = await stageBuild(system, gameId, kind)
  await submit(gameId)
  await approve(gameId, buildId)
  return buildId
}
const rollBack = (gameId: string, fromBuildId: string, toBuildId = '', core = 0) =>
  fox.on(core).builds.rollBack({ gameId, fromBuildId, toBuildId })
const kept = async (gameId: string) => (await view(fox, gameId)).kept.map(({ buildId }) => buildId)
const live = async (gameId: string) => (await view(fox, gameId)).live?.buildId
const play = async (slug: string, learnerName = 'Ann') =>
  (
    await system.connections[1]!.as(bearer(tokens.portal)).launches.startPlay({
      slug,
      learnerName,
      senderIp: '10.2.0.1',
    })
  ).launch!
const dueOf = async (buildId: string) =>
  (
    await system.database.sql<{ days: number }>(
      `select extract(epoch from due - now())::float8 / 86400 as days from garbage where key = $1`,
      [`builds/${buildId}/`],
    )
  )[0]?.days

describe('a rollback', () => {
  test('makes the replaced build live without a review: the next session has it, a running one keeps its own', async () => {
    const { gameId, buildId: first } = await published(fox, 'Back')
    const { slug } = (await view(fox, gameId)).summary!
    const second = await update(gameId)
    const running = await play(slug)
    expect(running.buildId).toBe(second)
    expect((await view(fox, gameId)).allowed).toContain('roll-back')

    expect(await rollBack(gameId, second)).toMatchObject({ buildId: first, number: 1 })
    const game = await view(fox, gameId)
    expect([game.summary!.state, game.live!.buildId]).toEqual([GameState.PUBLISHED, first])
    expect(game.reviews).toHaveLength(2)
    expect(game.kept.map(({ buildId, number }) => [buildId, number])).toEqual([[second, 2]])
    expect(Number(game.kept[0]!.keptUntil) / 86_400 - Date.now() / 86_400_000).toBeCloseTo(30, 1)
    expect((await play(slug, 'Ben')).buildId).toBe(first)
    // the session of before goes on: its files are kept, and its launch is as it was
    const { launch } = await system.connections[0]!.as(bearer(tokens.portal)).launches.getLaunch({
      sessionSecret: running.sessionSecret,
    })
    expect(launch!.buildId).toBe(second)
    expect(await dueOf(first)).toBeUndefined()
    expect(await dueOf(second)).toBeCloseTo(30, 1)
  })

  test('goes further back each time, and to any kept build that is named', async () => {
    const { gameId, buildId: first } = await published(fox, 'Further')
    const [second, third] = [await update(gameId), await update(gameId)]
    expect(await kept(gameId)).toEqual([second, first])
    await rollBack(gameId, third)
    expect(await live(gameId)).toBe(second)
    await rollBack(gameId, second)
    expect(await live(gameId)).toBe(first)
    expect(await kept(gameId)).toEqual([second, third])
    expect(await failureOf(rollBack(gameId, first))).toEqual(conflict(/No kept build is older/))
    await rollBack(gameId, first, third)
    expect(await live(gameId)).toBe(third)
    expect(await failureOf(rollBack(gameId, third, gameId))).toEqual(conflict(/This build is not kept/))
  })

  test('leaves the staged build and its review alone', async () => {
    const { gameId, buildId: first } = await published(fox, 'Staged')
    const second = await update(gameId)
    const third = await stageBuild(system, gameId)
    await submit(gameId)
    await rollBack(gameId, second)
    expect((await view(fox, gameId)).summary!.state).toBe(GameState.UPDATE_IN_REVIEW)
    await approve(gameId, third)
    expect(await live(gameId)).toBe(third)
    expect(await kept(gameId)).toEqual([first, second])
  })

  test('is not undone by the review of a changed page: that is about the new live build', async () => {
    const { gameId, buildId: first } = await published(fox, 'Page')
    const second = await update(gameId)
    const texts = { name: 'Page', summary: 'Other words', description: 'One' }
    await fox.on().games.updateGame({ gameId, ...texts })
    await submit(gameId)
    await rollBack(gameId, second)
    expect(await failureOf(approve(gameId, second))).toEqual(conflict(/Another build is waiting/))
    await approve(gameId, first)
    const game = await view(fox, gameId)
    expect([game.live!.buildId, game.accepted!.summary]).toEqual([first, 'Other words'])
  })

  test('is for public games only, and for the live build that was seen', async () => {
    const draft = await newGame(fox, 'Draft')
    expect(await failureOf(rollBack(draft.gameId, draft.buildId))).toEqual(conflict(/not public/))
    const { gameId, buildId: first } = await published(fox, 'Seen')
    expect(await failureOf(rollBack(gameId, first))).toEqual(conflict(/No replaced build is kept/))
    const second = await update(gameId)
    expect(await failureOf(rollBack(gameId, first))).toEqual(conflict(/Another build is live by now/))
    await fox.on().games.withdraw({ gameId })
    expect(await failureOf(rollBack(gameId, second))).toEqual(conflict(/not public/))
  })

  test('of two at once, one happens', async () => {
    for (let round = 0; round < 5; round++) {
      const { gameId, buildId: first } = await published(fox, 'Race')
      const [second, third] = [await update(gameId), await update(gameId)]
      expect(await successes([rollBack(gameId, third), rollBack(gameId, third, '', 1)])).toBe(1)
      expect(await live(gameId)).toBe(second)
      expect(await kept(gameId)).toEqual([third, first])
      await fox.on().games.withdraw({ gameId })
      await system.database.sql('update game set deleted = now() where uuid = $1', [gameId])
    }
  })

  test('and an approval at once: whichever comes first, no build is lost', async () => {
    for (let round = 0; round < 6; round++) {
      const { gameId, buildId: first } = await published(fox, 'Race')
      const second = await update(gameId)
      const third = await stageBuild(system, gameId)
      await submit(gameId)
      const calls = [() => rollBack(gameId, second, '', 1), () => approve(gameId, third)]
      const done = await successes((round % 2 ? calls : calls.toReversed()).map((call) => call()))
      // after the approval, the rollback names a build that is not live any more
      expect(await live(gameId)).toBe(third)
      expect(await kept(gameId)).toEqual(done === 2 ? [first, second] : [second, first])
      await system.database.sql('update game set deleted = now() where uuid = $1', [gameId])
    }
  })
})

describe('replaced builds', () => {
  test('are kept two at a time, count for no quota, and the third is removed when no session can run it', async () => {
    const { gameId, buildId: first } = await published(fox, 'Three')
    const { store } = system.cores[0]!
    const before = await store.builds.storageUsed(fox.id)
    const second = await update(gameId)
    const third = await update(gameId)
    expect(await kept(gameId)).toEqual([second, first])
    expect(await store.builds.storageUsed(fox.id)).toEqual(before)
    await update(gameId)
    expect(await kept(gameId)).toEqual([third, second])
    expect((await dueOf(first))! * 24).toBeCloseTo(3, 1)
    expect(await failureOf(rollBack(gameId, (await live(gameId))!, first))).toEqual(conflict(/not kept/))
  })

  test('are removed after 30 days, and cannot be live again then', async () => {
    const { gameId, buildId: first } = await published(fox, 'Old')
    const second = await update(gameId)
    const { storage } = system.cores[0]!
    const index = `builds/${first}/index.html`
    await storage.write(index, Buffer.from('x'), 1)
    await sweepStorage(system.cores[1]!)
    expect(await storage.open(index)).toBeDefined()
    await system.database.sql(`update garbage set due = now() where key = $1`, [`builds/${first}/`])
    // the key is due before the page knows
    expect(await failureOf(rollBack(gameId, second))).toEqual(conflict(/time for which this build was kept is over/))
    await system.database.sql(`update build set kept_until = now() where uuid = $1`, [first])
    await sweepStorage(system.cores[1]!)
    expect(await storage.open(index)).toBeUndefined()
    expect(await kept(gameId)).toEqual([])
    expect(await failureOf(rollBack(gameId, second))).toEqual(conflict(/No replaced build is kept/))
    expect(await live(gameId)).toBe(second)
  })

  test('of desktops can be downloaded for a week, and be live again for 30 days', async () => {
    const { gameId, buildId: first } = await published(fox, 'Desktop', 'desktop')
    const second = await update(gameId, 'desktop')
    const game = await view(fox, gameId)
    expect([game.inGrace, game.kept].map(([build]) => build!.buildId)).toEqual([first, first])
    await rollBack(gameId, second)
    expect((await view(fox, gameId)).live).toMatchObject({ buildId: first, graceUntil: 0n, keptUntil: 0n })
  })

  test('are shown to the studio, not to a reviewer', async () => {
    const { gameId } = await published(fox, 'Looked at')
    await update(gameId)
    await stageBuild(system, gameId)
    await submit(gameId)
    expect(await kept(gameId)).toHaveLength(1)
    const { game } = await reviewer.on().games.getGame({ gameId })
    expect([game!.kept, game!.allowed]).toEqual([[], []])
    expect(await failureOf(owl.on().builds.listBuilds({ game: gameId }))).toMatchObject({
      message: expect.stringMatching(/no such game/),
    })
  })
})
