import { afterAll, beforeAll, expect, test } from 'vitest'
import { pino } from 'pino'
import { GameState } from '../../../gen/lrs/v1/games_pb.js'
import { portalConfig, session, stubCore, summary } from '../../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../../app.ts'

const asked: string[][] = []
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
    listGameDays: ({ gameIds, from, to }) => {
      asked.push([...gameIds, String((Date.parse(to) - Date.parse(from)) / 86_400_000)])
      return { games: [{ gameId: 'counted', learners: 30n, learnersBefore: 20n, refusals: 4n, days: [1n, 2n] }] }
    },
  },
})
let portal: RunningPortal
beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())

test('the list has the last week of games that are played, but of one that is not counted in time, in one call', async () => {
  const response = await fetch(`http://127.0.0.1:${portal.port}/games`, { headers: { cookie: `session=${session}` } })
  const body = (await response.text()).replaceAll(/\s+/g, ' ')
  expect(response.status).toBe(200)
  const cards = body.split('game-card').slice(1)
  expect(cards).toHaveLength(3)
  expect(cards.map((card) => card.includes('class="week"'))).toEqual([true, false, false])
  for (const text of ['<b>30</b> players in 7 days', '50 % more', '4 requests refused', 'points="0,12 100,2"'])
    expect(cards[0]).toContain(text)
  expect(asked).toEqual([['counted', 'slow', '6']])
})
