import { afterAll, beforeAll, expect, test } from 'vitest'
import { pino } from 'pino'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { GameState } from '../../../gen/lrs/v1/games_pb.js'
import { failure, portalConfig, session, stubCore, summary } from '../../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../../app.ts'

const asked: string[] = []
const today = new Date().toISOString().slice(0, 10)
const core = stubCore({
  games: {
    listGames: () => ({
      games: [
        summary({ gameId: 'counted' }),
        summary({ gameId: 'slow' }),
        summary({ gameId: 'draft', state: GameState.DRAFT }),
      ],
    }),
  },
  insights: {
    getInsights: ({ gameId, to }) => {
      asked.push(gameId)
      if (gameId === 'slow') throw failure(Reason.UNAVAILABLE, 'Too many charts are being made; try again.')
      return to === today
        ? { learners: 30n, days: [1n, 2n].map((learners) => ({ learners, refusals: 2n })) }
        : { learners: 20n }
    },
  },
})
let portal: RunningPortal
beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())

test('the list has the last week of games that are played, but of one that is not counted in time', async () => {
  const response = await fetch(`http://127.0.0.1:${portal.port}/games`, { headers: { cookie: `session=${session}` } })
  const body = (await response.text()).replaceAll(/\s+/g, ' ')
  expect(response.status).toBe(200)
  const cards = body.split('game-card').slice(1)
  expect(cards).toHaveLength(3)
  expect(cards.map((card) => card.includes('class="week"'))).toEqual([true, false, false])
  for (const text of ['<b>30</b> players in 7 days', '50 % more', '4 requests refused', 'points="0,12 100,2"'])
    expect(cards[0]).toContain(text)
  expect(new Set(asked)).toEqual(new Set(['counted', 'slow']))
})
