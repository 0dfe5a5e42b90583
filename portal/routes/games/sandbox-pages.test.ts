import { expect, onTestFinished, test } from 'vitest'
import { build, session, summary } from '../../../test/support/stub-core.ts'
import {
  events,
  learnerId,
  sessionId,
  startStubPlay,
  statement,
  studioCookie,
} from '../../../test/support/stub-play.ts'
import { countsInWords } from '../../pages/games/play/sandbox.ts'
import { csrfToken } from '../../web/session-cookie.ts'

const call = startStubPlay()
const sandboxPath = `/games/${summary().gameId}/sandbox`

test('the sandbox asks who plays and goes to the session', async () => {
  const { body } = await call(sandboxPath, { cookie: studioCookie })
  expect(body).toContain('A new test learner')
  expect(body).not.toContain('<img src=x')
  const posted = await call(sandboxPath, {
    method: 'POST',
    cookie: studioCookie,
    form: { csrf: csrfToken(session), learner_id: learnerId },
  })
  expect(posted).toMatchObject({ status: 303, location: `${sandboxPath}/${sessionId}` })
})

test('the session shows the game, each call in words, and what was refused with its place; all as text', async () => {
  const { body, headers } = await call(`${sandboxPath}/${sessionId}`, { cookie: studioCookie })
  expect(headers.get('content-security-policy')).toContain('frame-src http://127.0.0.1:8099;')
  expect(body).toContain(
    `src="http://127.0.0.1:8099/b/${build.buildId}/index.html?endpoint=http%3A%2F%2F127.0.0.1%3A8080%2Fxapi%2F&amp;auth=Bearer%20a.b.c&amp;`,
  )
  expect(body).toContain('sandbox="allow-scripts allow-pointer-lock allow-forms allow-modals"')
  // whose session it is, not whom the game names
  expect(body).toContain('&amp; completed Level {1}')
  expect(body).toContain('<code class="path">statements[1].verb.id</code>')
  expect(body).toContain('&quot;wrong one&quot;')
  expect(body).toContain('<b data-count="statements">2</b>')
  expect(body).toContain('<b data-count="rejected">1</b>')
  expect(body).not.toContain('<img src=x')
})

test.each([
  [1_000, 0],
  [100, 5_000],
])('of %i requests all are counted and the latest shown, up to a page of them', async (number, padding) => {
  const before = events.length
  const body = JSON.stringify({ ...(JSON.parse(statement('Level 9')) as object), padding: 'x'.repeat(padding) })
  for (let n = 1; n <= number; n++)
    events.push({
      number: BigInt(before + n),
      at: 1_763_700_003_000n,
      request: 'POST /xapi/statements',
      status: 200,
      message: 'stored',
      statements: 1,
      body,
    })
  onTestFinished(() => void events.splice(before))
  const page = await call(`${sandboxPath}/${sessionId}`, { cookie: studioCookie })
  const shown = [...page.body.matchAll(/data-number="(\d+)"/g)].map(([, at]) => Number(at))
  expect(page.body).toContain(`<b data-count="requests">${number + 3}</b>`)
  expect(page.body).toContain(`<b data-count="statements">${number + 2}</b>`)
  expect(shown).toEqual(Array.from({ length: shown.length }, (_, n) => before + number - n))
  expect(shown.length).toBeGreaterThan(5)
  expect(page.body.length).toBeLessThan(90_000)
})

test('a session of nobody and of another game is over', async () => {
  expect(await call(`${sandboxPath}/${learnerId}`, { cookie: studioCookie })).toMatchObject({
    status: 404,
    body: expect.stringContaining('The session has ended'),
  })
  expect((await call(`/games/${learnerId}/sandbox/${sessionId}`, { cookie: studioCookie })).status).toBe(404)
  expect((await call(`${sandboxPath}/${learnerId}/events`, { cookie: studioCookie })).status).toBe(204)
})

test('calls are streamed after the one that was seen last', async () => {
  const { body, headers } = await call(`${sandboxPath}/${sessionId}/events?after=1`, { cookie: studioCookie })
  expect(headers.get('content-type')).toContain('text/event-stream')
  const sent = [...body.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(([, id, data]) => ({
    id,
    ...(JSON.parse(data!) as { html: string; counts: string; news: string }),
  }))
  expect(sent).toMatchObject([
    { id: '2', news: expect.stringContaining('Rejected: ') },
    { id: '3', news: '' },
  ])
  // what came before is counted, too
  expect(sent[1]!.counts.replaceAll(/<[^>]*>|\s+/g, ' ').trim()).toMatch(/^2 +statements +3 +requests +1 +rejected$/)
  expect(sent.map(({ html }) => html).join('')).not.toContain('<img src=x')
  expect(sent[0]!.html).toMatch(/>\d\d:\d\d:\d\d UTC<\/time>/)
  const one = countsInWords({ requests: 1, statements: 1, rejected: 0 }).text
  expect(one).toMatch(/1<\/b> statement<[^]*1<\/b> request</)
})
