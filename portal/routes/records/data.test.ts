import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { pino } from 'pino'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { GetInsightsRequest, GetInsightsResponseSchema } from '../../../gen/lrs/v1/insights_pb.js'
import type { FollowRequest, QueryStatementsRequest } from '../../../gen/lrs/v1/statements_pb.js'
import { failure, game, session, stubCore, summary, portalConfig } from '../../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../../app.ts'
import { prettyJson } from '../../pages/parts/json.ts'
import { learnerIn, learnerText } from '../../pages/records/statement.ts'
import { usageBars } from '../../pages/parts/usage.ts'

const hostile = '<script>alert(1)</script>"&\''
const id = summary().gameId
const stored = '2026-11-20T12:00:00.123456Z'
const statement = (over: object = {}) => ({
  id: '33333333-3333-4333-8333-333333333333',
  actor: { name: hostile, account: { homePage: 'https://l.example/', name: hostile } },
  verb: { id: 'http://adlnet.gov/expapi/verbs/completed', display: { en: hostile } },
  object: { id: `https://a.example/${hostile}`, definition: { name: { en: hostile } } },
  result: { score: { scaled: 0.8 }, response: hostile },
  context: { registration: '44444444-4444-4444-8444-444444444444' },
  timestamp: stored,
  stored,
  ...over,
})
const full: MessageInitShape<typeof GetInsightsResponseSchema> = {
  complete: true,
  verbs: [{ verbId: `https://v.example/${hostile}`, name: hostile, statements: 24n }],
}

let insights: MessageInitShape<typeof GetInsightsResponseSchema> = full
let published = true
let refusal: Error | undefined
let found: { json: string[]; next: string } = { json: [], next: '' }
const asked: {
  insights: GetInsightsRequest[]
  queries: { key: string | null; request: QueryStatementsRequest }[]
  follows: FollowRequest[]
} = { insights: [], queries: [], follows: [] }

const core = stubCore({
  games: { getGame: () => ({ game: published ? game() : game({ credential: undefined, sandboxKey: '' }) }) },
  insights: { getInsights: (request) => (asked.insights.push(request), insights) },
  statements: {
    queryStatements: (request, { requestHeader }) => {
      asked.queries.push({ key: requestHeader.get('x-lrs-credential'), request })
      if (refusal) throw refusal
      return {
        json: found.json.map((json) => Buffer.from(json)),
        next: found.next,
        consistentThrough: 1_795_176_000_123_456n,
      }
    },
    async *follow(request) {
      asked.follows.push(request)
      yield { json: [], through: 1_795_176_000_000_000n }
      await sleep(1_500)
      yield { json: [Buffer.from(JSON.stringify(statement()))], through: 1_795_176_000_123_456n }
    },
    getStatement: ({ statementId, voidedStatementId }) => {
      if (voidedStatementId === '' && statementId.startsWith('5'))
        throw failure(Reason.NOT_FOUND, 'There is no statement with this id.')
      return { json: Buffer.from(JSON.stringify(statement())) }
    },
  },
})

let portal: RunningPortal
beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())

const at = (path: string) => `http://127.0.0.1:${portal.port}/games/${id}/${path}`
const headers = { cookie: `session=${session}`, 'accept-language': 'de, en;q=0.5' }
/** A page without the spaces between its elements. */
async function get(path: string) {
  const response = await fetch(at(path), { headers, redirect: 'manual' })
  const body = (await response.text()).replace(/>\s+</g, '><')
  return { status: response.status, headers: response.headers, body }
}

test.each([
  ['statements of a draft', 'statements', false, 'See the next step'],
  ['statements of a sandbox that was never opened', 'statements?from=sandbox', false, 'Open a sandbox session'],
  ['statements that do not match', `statements?verb=https://v.example/x`, true, 'All statements'],
])('an empty page says what to do next: %s', async (_name, path, isPublished, expected) => {
  published = isPublished
  found = { json: [], next: '' }
  const { status, body } = await get(path)
  expect(status).toBe(200)
  expect(body).toContain(expected)
  published = true
  insights = full
})

test('statements in words, their JSON as it came, all of it text', async () => {
  const long = JSON.stringify(statement({ context: { extensions: { 'https://e.example/x': 'x'.repeat(10_000) } } }))
  found = { json: [JSON.stringify(statement()).replace('0.8', '8e-1'), long], next: 'n3xt' }
  asked.queries = []
  const { body } = await get('statements')
  expect(asked.queries.map(({ key }) => key)).toEqual(['game-4f2a9c'])
  expect(body).not.toContain('<script>alert')
  expect(body).toContain('<b>&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;&#39;</b></a>, 80 %, answer “')
  expect(body).toContain('<i>&quot;scaled&quot;</i>: 8e-1')
  expect(body).toMatch(/href="[^"]*statements\/33333333-[\d-]*">JSON, 11 KB/)
  expect(body).toContain('offset=n3xt')
  expect(body.length).toBeLessThan(30_000)
  await get('statements?from=sandbox')
  expect(asked.queries.at(-1)!.key).toBe('sandbox-1')
})

/** The rows and headings of the list, without the spaces between elements; the links with what they filter. */
const listed = (body: string) =>
  Array.from(body.matchAll(/<h3>(.*?)<\/h3>|<p class="said">(.*?)<\/p>/gs), ([, head, row]) =>
    (head ?? row)!.replaceAll(/<a href="[^"]*statements([^"]*)">(.*?)<\/a>/gs, '[$2]($1)').replaceAll(/<[^>]*>/g, ''),
  )

test('the words of a statement lead to those with the same learner, verb, activity or session', async () => {
  const mia = { name: 'Mia', account: { homePage: 'https://l.example/', name: 'm' } }
  const verb = { id: 'https://v.example/won', display: { en: 'won' } }
  const object = { id: 'https://a.example/2', definition: { name: { en: 'Level 2' } } }
  const session = { registration: '44444444-4444-4444-8444-444444444444' }
  const said = (timestamp: string, over: object = {}) =>
    JSON.stringify(statement({ actor: mia, verb, object, result: {}, context: session, timestamp, ...over }))
  found = {
    json: [
      said('2026-11-20T12:03:12Z'),
      said('2026-11-20T12:02:00Z', { context: undefined, object: { objectType: 'Agent', ...mia } }),
      said('2026-11-20T12:00:00Z'),
    ],
    next: '',
  }
  const { body } = await get('statements?verb=https://v.example/won&order=oldest')
  const rest = 'verb=https%3A%2F%2Fv.example%2Fwon&amp;order=oldest'
  const [who, did] = [`[Mia](?agent=m+%40+https%3A%2F%2Fl.example%2F&amp;${rest})`, `[won](?${rest})`]
  const row = `${who}${did}[Level 2](?${rest.replace('&amp;', '&amp;activity=https%3A%2F%2Fa.example%2F2&amp;')})`
  const inOrder = (text: string) =>
    text.replaceAll(/\(\?([^)]*)\)/g, (_, query: string) => `(${query.split('&amp;').sort().join(' ')})`)
  expect(listed(body).map(inOrder)).toEqual(
    [
      `[Session of Mia](?registration=${session.registration}&amp;${rest})20 Nov 2026, 12:00:00 UTC, 3 min 12 s`,
      row,
      row,
      'Outside of a session',
      `${who}${did}Mia`,
    ].map(inOrder),
  )
  // the filter in use has its name, and a link that drops it
  expect(body).toMatch(/verb <b>won<\/b><a href="[^"]*statements\?order=oldest" class="drop"/)
  expect(body).not.toContain('this learner')
})

test('filters go to core as it takes them and stay in the form; what is wrong is told at its field', async () => {
  asked.queries = []
  await get(
    `statements?agent=ana@example.org&verb=%20https://v.example/x&since=2026-11-01&until=2026-11-02&order=oldest&registration=r`,
  )
  expect(asked.queries[0]!.request).toMatchObject({
    agent: '{"mbox":"mailto:ana@example.org"}',
    verb: 'https://v.example/x',
    since: '2026-11-01T00:00:00Z',
    until: '2026-11-02T23:59:59.999999Z',
    ascending: true,
    limit: 25,
    registration: 'r',
  })
  refusal = failure(Reason.INVALID, 'verb: must be an IRI', { path: 'verb' })
  const { status, body } = await get(`statements?verb=${encodeURIComponent(hostile)}`)
  refusal = undefined
  expect(status).toBe(400)
  expect(body).toContain('value="&lt;script&gt;')
  expect(body).toContain('aria-invalid="true"')
  asked.queries = []
  const learner = await get('statements?agent=ana')
  expect(learner.status).toBe(400)
  expect(learner.body).toContain('Enter an account as name @ home page')
  expect(asked.queries).toEqual([])
})

test.each([
  ['Completed', 'http://adlnet.gov/expapi/verbs/completed'],
  ['logged in', 'http://adlnet.gov/expapi/verbs/logged-in'],
  ['solved', 'https://v.example/solved'],
  ['Won', 'https://v.example/w1'],
])('a verb by its name: %s', async (name, iri) => {
  insights = {
    ...full,
    verbs: [
      { verbId: 'https://v.example/solved', name: '' },
      { verbId: 'https://v.example/w1', name: 'won' },
    ],
  }
  asked.queries = []
  const { status, body } = await get(`statements?verb=${encodeURIComponent(name)}`)
  insights = full
  expect(status).toBe(200)
  expect(asked.queries[0]!.request.verb).toBe(iri)
  expect(body).toContain(
    '<datalist id="field-verb-choices"><option ' +
      'value="https://v.example/solved">https://v.example/solved</option><option ' +
      'value="https://v.example/w1">won</option></datalist>',
  )
})

test('a verb that nobody knows is refused with one as example', async () => {
  const { status, body } = await get(`statements?verb=${encodeURIComponent('<b>jumped')}`)
  expect(status).toBe(400)
  expect(body).toContain('No verb of this game is called “&lt;b&gt;jumped”')
  expect(body).toContain('http://adlnet.gov/expapi/verbs/completed')
})

test('the activity of the game has its name', async () => {
  const activityId = `https://lrs.example/games/${id}`
  found = { json: [JSON.stringify(statement({ object: { id: activityId } }))], next: '' }
  expect((await get('statements')).body).toContain('<b>Bridges &amp; Rivers</b></a>, 80 %')
})

test('one statement by itself, and as a file', async () => {
  const { body } = await get('statements/33333333-3333-4333-8333-333333333333')
  expect(body).toContain('<pre class="json"')
  expect(body).not.toContain('<script>alert')
  const file = await get('statements/53333333-3333-4333-8333-333333333333/json')
  expect(file.headers.get('content-type')).toMatch(/^application\/json/)
  expect(file.headers.get('content-disposition')).toContain('attachment')
  expect((await get('statements/nonsense')).status).toBe(404)
})

test('core pushes statements that arrive after those of the page; nothing asks for them', async () => {
  const before = asked.queries.length
  const leave = new AbortController()
  const response = await fetch(at(`statements/live?after=2026-11-20T00:00:00Z&verb=https://v.example/x`), {
    headers,
    signal: leave.signal,
  })
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  let text = ''
  for await (const chunk of response.body!) if ((text += Buffer.from(chunk as Uint8Array)).includes('data:')) break
  leave.abort()
  expect(text).toContain(`id: ${stored}\n`)
  const shown = JSON.parse(/^data: (.*)$/m.exec(text)![1]!) as string
  expect(shown).toContain('<li>')
  expect(shown).not.toContain('<script>')
  expect(asked.follows).toMatchObject([
    { start: { case: 'since', value: '2026-11-20T00:00:00Z' }, verb: 'https://v.example/x' },
  ])
  // core pushes: the open page asks for nothing
  expect(asked.queries).toHaveLength(before)
})

test.each([
  [
    '{"a":[],"b":{},"c":[1.50,-1e400,"x"],"d":null}',
    '{\n  <i>"a"</i>: [],\n  <i>"b"</i>: {},\n  <i>"c"</i>: [\n    1.50,\n    -1e400,\n    "x"\n  ],\n  ' +
      '<i>"d"</i>: null\n}',
  ],
  ['{"a\\"b":"c\\\\"}', '{\n  <i>"a\\"b"</i>: "c\\\\"\n}'],
  ['[[[]]]', '[\n  [\n    []\n  ]\n]'],
])('JSON keeps its lexical form: %s', (json, expected) => {
  expect(
    prettyJson(json)
      .text.replace(/<\/?pre[^>]*>/g, '')
      .replaceAll('&quot;', '"'),
  ).toBe(expected)
})

test.each([
  [
    { account: { homePage: 'https://l.example/', name: 'a @ b' } },
    'a @ b @ https://l.example/',
    '{"account":{"name":"a @ b","homePage":"https://l.example/"}}',
  ],
  [{ mbox: 'mailto:ana@example.org' }, 'ana@example.org', '{"mbox":"mailto:ana@example.org"}'],
  [{ openid: 'https://ana.example/' }, 'https://ana.example/', '{"openid":"https://ana.example/"}'],
  [
    { objectType: 'Group', mbox: 'mailto:t@example.org' },
    '{"objectType":"Group","mbox":"mailto:t@example.org"}',
    '{"objectType":"Group","mbox":"mailto:t@example.org"}',
  ],
])('a learner as text and back: %o', (agent, text, json) => {
  expect(learnerText(agent)).toBe(text)
  expect(learnerIn(text)).toBe(json)
})

test.each(['ana', 'ana @ home', '@', '<script>'])('no learner: %s', (text) => {
  expect(learnerIn(text)).toBeUndefined()
})

test('bars of usage tell the amount in words, and lead to the rule', () => {
  const usage = { $typeName: 'lrs.v1.Usage', resets: 0n } as const
  const { text } = usageBars([
    {
      ...usage,
      subject: 'Total build storage',
      anchor: 'storage',
      used: 24n * 2n ** 30n,
      limit: 25n * 2n ** 30n,
      unit: 'bytes',
    },
    { ...usage, subject: 'Games <b>', anchor: 'games', used: 20n, limit: 20n, unit: 'games' },
  ])
  expect(text).toContain('24 GB of 25 GB')
  expect(text).toContain('20 of 20 games, <strong>full</strong>')
  expect(text).toContain('Games &lt;b&gt;')
  expect(text).toContain('href="/limits#storage"')
  expect(usageBars([]).text).toBe('')
})
