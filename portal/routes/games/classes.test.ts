import { afterAll, beforeAll, expect, test } from 'vitest'
import { pino } from 'pino'
import { game, portalConfig, session, stubCore, summary } from '../../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../../app.ts'

const classId = '0f3c9b1e-2d5f-4e44-8a8e-0c1b2a3d4e5f'
/** She completed four levels, and failed three of them. */
const result = {
  statements: 9,
  attempts: 5,
  completed: 4,
  passed: 1,
  failed: 3,
  abandoned: 1,
  bestScore: 1,
  seconds: 120,
}
const core = stubCore({
  games: { getGame: () => ({ game: game() }) },
  classes: {
    getClass: () => ({
      class: { classId, name: '4b' },
      learners: [
        { invitation: { invitationId: classId, learnerName: 'Ann', used: 1 }, result: { ...result, last: 1n } },
        { invitation: { invitationId: classId, learnerName: 'Ben' }, result: {} },
      ],
    }),
  },
})

let portal: RunningPortal
beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())

const get = async (path: string): Promise<string> => {
  const at = `http://127.0.0.1:${portal.port}/games/${summary().gameId}/classes/${classId}${path}`
  return (await fetch(at, { headers: { cookie: `session=${session}` } })).text()
}

test('a class has completed, passed, failed and abandoned levels in columns of their own, and says what they are', async () => {
  const page = await get('')
  const cellsOf = (name: string) =>
    Array.from(page.matchAll(new RegExp(`data-heading="${name}" class="number">([^<]*)<`, 'g')), ([, cell]) => cell)
  const found = ['Attempts', 'Completed', 'Passed', 'Failed', 'Abandoned', 'Played'].map(cellsOf)
  expect(found).toEqual(['5', '4', '1', '3', '1', '2 min'].map((cell) => [cell, '–']))
  expect(page).toContain('Failed: levels with a failed attempt and no passed one.')
  expect((await get('/results.csv')).split('\r\n').slice(0, 2)).toEqual([
    expect.stringMatching(
      /learner,started,sessions,attempts,levels_completed,levels_passed,levels_failed,levels_abandoned,/,
    ),
    expect.stringMatching(/^Ann,yes,1,5,4,1,3,1,1,120,/),
  ])
})
