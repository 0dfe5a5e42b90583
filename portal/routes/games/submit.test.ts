import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { create } from '@bufbuild/protobuf'
import { GameReviewSchema, GameState, type Game } from '../../../gen/lrs/v1/games_pb.js'
import { build, game, portalConfig, session, stubCore, summary } from '../../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../../app.ts'

let shown: Game
let portal: RunningPortal
beforeAll(async () => {
  const core = stubCore({ games: { getGame: () => ({ game: shown }) } })
  portal = await createPortal(portalConfig(), { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())

const id = summary().gameId
async function get(path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${portal.port}/games/${id}${path}`, {
    headers: { cookie: `session=${session}` },
  })
  return (await response.text()).replaceAll(/\s+/g, ' ')
}
const button = '<button class="">Submit for review</button>'

test.each<[string, Partial<Game>, string, string]>([
  [
    'without a build',
    { summary: summary({ state: GameState.DRAFT }), live: undefined },
    'no build to review',
    '/upload',
  ],
  ['in review', { summary: summary({ state: GameState.IN_REVIEW }) }, 'in review already', ''],
  ['without news', {}, 'A reviewer has accepted all of it', '/upload'],
  ['without a summary', { summary: summary({ summary: '' }), allowed: ['submit'] }, 'needs a summary', '/edit'],
])('a game %s cannot be submitted: the page says why, and what to do', async (_name, more, why, path) => {
  shown = game(more)
  const body = await get('/submit')
  expect(body).toContain(why)
  expect(body).toContain(`<a class="button" href="/games/${id}${path}">`)
  expect(body).not.toContain(button)
})

const decided = (more: MessageInitShape<typeof GameReviewSchema>) =>
  create(GameReviewSchema, { submitted: 1_763_700_000n, decided: 1_763_710_000n, note: 'Mend <level> 2', ...more })

test('a rejected game shows the note first and can be submitted again, with the same build', async () => {
  const rejected = { summary: summary({ state: GameState.REJECTED }), live: undefined, staged: build }
  shown = game({ ...rejected, reviews: [decided({})], allowed: ['submit', 'upload'] })
  const [, notice = ''] = /<div class="notice bad">(.*?)<h2 id="next">/.exec(await get('/builds')) ?? []
  expect(notice).toContain('Mend &lt;level&gt; 2')
  expect(notice).toContain(`href="/games/${id}/submit"`)
  expect(await get('/submit')).toContain(button)
  shown = game({ reviews: [decided({ approved: true })] })
  expect(await get('/builds')).not.toContain('<div class="notice bad">')
})

const doneSteps = (page: string) => Array.from(page.matchAll(/<li class="done"> <h2>([^<]+)/g), ([, title]) => title)

test('the checklist ticks what was done, reporting and players too, and the overview says what is next', async () => {
  shown = game({})
  expect(doneSteps(await get('/checklist'))).toEqual(
    expect.not.arrayContaining(['Make it report', 'See what players do']),
  )
  expect(await get('/builds')).toContain('Next: Make it report')
  shown = game({ reported: true, played: true })
  expect(doneSteps(await get('/checklist'))).toHaveLength(7)
  expect(await get('/builds')).toContain('7 of 7 steps are done')
})

test('after an upload a game without a summary is not told to submit', async () => {
  const notice = async () =>
    /<p class="notice good" role="status">(.*?)<\/p>/.exec(await get('/builds?done=staged'))?.[1]
  shown = game({ staged: build, allowed: ['submit'] })
  expect(await notice()).toMatch(/then submit it\.$/)
  shown = game({ summary: summary({ summary: '', state: GameState.DRAFT }), staged: build, allowed: ['submit'] })
  expect(await notice()).toMatch(/Before you can submit it, the game needs a summary\.$/)
  expect(await get('/edit')).toContain('>Summary <span')
})
