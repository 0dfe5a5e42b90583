import { afterAll, beforeAll, expect, test } from 'vitest'
import { pino } from 'pino'
import { game, portalConfig, session, stubCore, summary } from '../../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../../app.ts'

const hostile = '<script>alert(1)</script>"&\''
const agent = JSON.stringify({ account: { homePage: 'https://l.example/', name: hostile } })
const learner = { agent, name: hostile, firstSeen: 1n, lastSeen: 1_795_360_422_000_000n, statements: 3n, sessions: 1n }
const document = { activityId: 'https://a.example/1', id: hostile, contentType: hostile, size: 99_999n, written: 1n }
let isComplete = true
const asked: { text: string; after: string }[] = []

const core = stubCore({
  games: { getGame: () => ({ game: game() }) },
  learners: {
    findLearners: ({ text, after }) => {
      asked.push({ text, after })
      return text === 'nobody' ? { complete: true } : { learners: [learner], next: 'n3xt', complete: isComplete }
    },
    getLearner: () => ({
      learner,
      levels: [
        {
          activityId: 'https://a.example/1',
          name: JSON.stringify({ en: hostile }),
          attempts: 2,
          failed: 1,
          abandoned: 1,
          best: 0.805,
        },
      ],
      levelStatements: 3,
      documents: [document],
      consents: [{ version: 'a'.repeat(64), agreed: 1n }],
      complete: true,
    }),
    listLearnerSessions: () => ({ sessions: [] }),
    getLearnerDocument: () => ({ document, content: Buffer.from(`${hostile}\u0007\u202e`) }),
  },
  ownData: {
    listErasureRequests: () => ({
      requests: [
        { learnerName: hostile, agent, request: { requestId: summary().gameId, asked: 1n, due: 2n } },
        { request: { requestId: summary().gameId, outcome: 'refused', reason: hostile } },
      ],
    }),
  },
  statements: { queryStatements: () => ({ json: [] }) },
})

let portal: RunningPortal
beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())

const get = async (path: string) => {
  const at = `http://127.0.0.1:${portal.port}/games/${summary().gameId}/${path}`
  const response = await fetch(at, { headers: { cookie: `session=${session}` } })
  return { status: response.status, refresh: response.headers.get('refresh'), body: await response.text() }
}

test('learners stand in a list with what they did; everything of them is text; further ones have a link', async () => {
  const { status, body } = await get('learners?q=mia')
  expect(status).toBe(200)
  expect(body).not.toContain('<script>alert')
  expect(body).toContain('&lt;script&gt;')
  expect(body).toContain('q=mia&amp;after=n3xt')
  await get('learners?q=mia&after=n3xt')
  expect(asked.slice(-2)).toEqual([
    { text: 'mia', after: '' },
    { text: 'mia', after: 'n3xt' },
  ])
  expect((await get('learners?q=nobody')).body).toContain('No learner is found')
})

test('requests for an erasure are on top of the first page; what is not counted yet is told', async () => {
  isComplete = false
  const { body, refresh } = await get('learners')
  isComplete = true
  expect(refresh).toBe('1')
  expect(body).toContain('Requests for an erasure')
  expect(body).not.toContain('<script>alert')
  expect((await get('learners?q=mia')).body).not.toContain('Requests for an erasure')
})

test('the page of a learner, and a document of it as text', async () => {
  const { status, body } = await get(`learner?agent=${encodeURIComponent(agent)}`)
  expect(status).toBe(200)
  expect(body).not.toContain('<script>alert')
  expect(body).toContain('80.5 %')
  const cells = ['Completed">0', 'Passed">0', 'Failed">1', 'Abandoned">1']
  for (const cell of cells) expect(body).toContain(`data-heading="${cell}<`)
  expect(body).toContain('An attempt lasts from a start to the next one.')
  expect(body).toContain('an earlier text')
  const shown = await get(`learner/document?agent=${encodeURIComponent(agent)}&activity=x&id=y`)
  expect(shown.body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;&#39;\ufffd\ufffd</pre>')
  expect((await get('learner?agent=mia')).status).toBe(404)
})
