import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { create } from '@bufbuild/protobuf'
import { pino } from 'pino'
import type { GetAnswersRequest } from '../../../gen/lrs/v1/answers_pb.js'
import { GameReviewSchema } from '../../../gen/lrs/v1/games_pb.js'
import type { GetInsightsRequest } from '../../../gen/lrs/v1/insights_pb.js'
import type { ListTargetsRequest } from '../../../gen/lrs/v1/serious_games_pb.js'
import * as stub from '../../../test/support/stub-answers.ts'
import { game, portalConfig, session, stubCore, summary } from '../../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../../app.ts'
import { chosenDays } from '../../pages/parts/data-filters.ts'

const hostile = '<script>alert(1)</script>"&\''
const id = summary().gameId
const day = (at: number) => new Date(Date.UTC(2026, 10, at)).toISOString().slice(0, 10)

/** The message with another name at each level, question and option. */
function renamed<Message>(message: Message): Message {
  const deep = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map((one) => deep(one))
    if (typeof value === 'string') return ['name', 'response', 'message', 'path'].includes(key) ? hostile : value
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, deep(one, key)]))
  }
  return deep(message) as Message
}

/** Both builds were approved on 20 November in UTC, the second one for a change of the page, too. */
const reviews = [
  { number: 3, version: '1.1', decided: BigInt(Date.UTC(2026, 10, 21) / 1000), approved: true },
  { number: 3, version: '1.1', decided: BigInt(Date.UTC(2026, 10, 20, 23) / 1000), approved: true },
  { number: 2, decided: BigInt(Date.UTC(2026, 10, 20) / 1000), approved: true },
  { number: 1, decided: BigInt(Date.UTC(2026, 10, 19) / 1000) },
].map((review) => create(GameReviewSchema, review))
let change: <Message>(message: Message) => Message
let complete: boolean
let published: boolean
let isEmpty: boolean
let otherDays: bigint
const asked: {
  insights: GetInsightsRequest[]
  answers: GetAnswersRequest[]
  played: Omit<ListTargetsRequest, '$typeName'>[]
} = {
  insights: [],
  answers: [],
  played: [],
}
beforeEach(() => {
  ;[change, complete, published, isEmpty, otherDays] = [(message) => message, true, true, false, 0n]
  asked.insights = []
  asked.answers = []
  asked.played = []
})
const played = <Response>(of: Omit<ListTargetsRequest, '$typeName'>, answer: () => Response): Response => {
  asked.played.push(of)
  return change(answer())
}

const core = stubCore({
  games: { getGame: () => ({ game: published ? game({ reviews }) : game({ credential: undefined, sandboxKey: '' }) }) },
  insights: {
    getInsights: (request) => {
      asked.insights.push(request)
      if (isEmpty) return { complete, behind: 12_345n, days: [{ day: day(20) }] }
      return change({
        complete,
        otherDays,
        behind: 12_345n,
        days: [19, 20].map((at) => ({
          day: day(at),
          statements: 12n,
          learners: BigInt(at - 16),
          sessions: 4n,
          refusals: 1n,
        })),
        learners: 5n,
        sessions: 8n,
        teams: 3n,
        verbs: [{ verbId: 'https://v.example/won', name: 'won', statements: 24n }],
      })
    },
  },
  answers: {
    getAnswers: (request) => {
      asked.answers.push(request)
      return isEmpty ? { complete } : { ...change(stub.answers(request.build)), complete, behind: 12_345n, otherDays }
    },
  },
  learners: {
    listClientVersions: () => ({
      complete,
      versions: ['games-lrs.js 0.4.0', 'games-lrs.gd 0.1.0', ''].map((client) => ({
        client: change(client),
        players: 12_345,
        lastSeen: BigInt(Date.UTC(2026, 10, 20) * 1000),
      })),
    }),
  },
  seriousGames: {
    listAlternatives: (of) => played(of, stub.alternatives),
    listCompletables: (of) => played(of, stub.completables),
    listProgress: (of) => played(of, stub.progress),
    listReachables: (of) => played(of, stub.reachables),
    listTargets: (of) => played(of, stub.targets),
  },
})

let portal: RunningPortal
beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())

async function get(path: string) {
  const response = await fetch(
    `http://127.0.0.1:${portal.port}/games/${id}${path && !path.startsWith('?') ? '/' : ''}${path}`,
    {
      headers: { cookie: `session=${session}` },
      redirect: 'manual',
    },
  )
  const body = (await response.text()).replace(/>\s+</g, '><').replaceAll('\u00a0', ' ')
  return { status: response.status, headers: response.headers, body }
}

const pages: [path: string, charts: string[], expected: string[]][] = [
  [
    '',
    ['funnel', 'people'],
    [
      `<dt>Players</dt><dd><a href="/games/${id}/data/activity">5</a>`,
      '<dt>Teams</dt>',
      'Median session',
      'Most are stuck in Level 3',
      '2 players, the last seen first.',
      '>Pia 5</a></th><td>Level 3: Saturn and its rings</td><td class="number is-stuck">5 tries</td>',
      'Build 3 is better: 80 % pass Level 1: Moon at the first try; before, 34 % did.',
      '34 % → 80 %',
      `href="/games/${id}/data/compare?build=3&amp;compare=2">Compare the two`,
      '9 requests: the game sends what cannot be stored.',
    ],
  ],
  [
    'data/activity',
    ['people', 'statements', 'verbs'],
    [
      '5 players and 8 sessions in 30 days. Most players on 20 Nov: 4. 3 teams beside them.',
      '<th scope="row">2026-11-20</th><td class="number">4</td><td class="number">4</td>',
      '<title>19 Nov: Players 3',
      '<title>20 Nov, release of Build 2, release of 1.1: Players 4',
    ],
  ],
  [
    'data/progress',
    ['funnel', 'leaving', 'attempts', 'times', 'scores'],
    [
      'Most are stuck in Level 3: Saturn and its rings: 17 of the 31 who started it have not completed it.',
      '>Level 3: Saturn and its rings</a></th><td class="number">31</td><td class="number">14</td><td ' +
        'class="number">45.2 %</td>',
      '26 players left. Most left in the middle of Level 3: Saturn and its rings: 11. 3 left after completing it.',
      'Level 3: Saturn and its rings costs most tries: of 85 attempts 48 failed, and 20 were abandoned.',
      'half of the attempts take more than 5 min 40 s.',
      'Quartiles of more than 100,000 values are within 1 %.',
      'Lowest in Level 3: Saturn and its rings: half of the scores are at most 35 %.',
    ],
  ],
  [
    'data/compare',
    ['change', 'later'],
    [
      'Is Build 3 better than Build 2?',
      'Build 3 is better: 80 % pass Level 1: Moon at the first try; before, 34 % did. The difference is between 25 and 61 points.',
      '<option value="3" selected>Build 3 (30 players)</option>',
      `href="/games/${id}/data/compare/change.csv?build=3&amp;compare=2"`,
      '<td>Completed at later tries</td>',
    ],
  ],
  [
    'data/return',
    ['returning', 'sessions', 'cohorts'],
    [
      'Of the new players, 23 of 46 came back on the next day (50 %)',
      'Those of the week of 9 Nov came back most',
      '<th scope="row">week of 26 Oct</th><td class="number">26</td><td class="number">26</td>',
      '44 sessions. Half of them take at most 4 min 20 s',
    ],
  ],
  [
    'data/answers',
    ['questions', 'choices', 'choices', 'choices'],
    [
      '63 % of 40 answers to “How many moons does Mars have?” are wrong.',
      'Two</a></th><td class="number">15</td><td class="number">15</td><td class="number">0</td>',
      'All other answers',
    ],
  ],
  [
    'data/elements',
    ['players', 'completables', 'reachables', 'targets'],
    [
      'How far did each player come?',
      '3 players of 7 have not come halfway in “Level 3: Saturn and its rings”.',
      `href="/games/${id}/data/elements?of=https%3A%2F%2Fg.example%2Flevels%2F1">Level 1: Moon</a>`,
      'Opening is skipped most: 41 times, by 63 % of those who came there.',
      'Robot (non-player character)',
    ],
  ],
  [
    'data/problems',
    ['refused', 'builds'],
    [
      '2 requests refused',
      'Build 3: 8 of 9 refused requests.',
      'must be -1 to 1',
      'Correct the field. A retry without',
      'Other reasons',
      '<td class="number" data-heading="Players">12,345</td><td data-heading="Client">games-lrs.js 0.4.0</td>' +
        '<td data-heading="What is wrong">Nothing that we know.</td>',
      'since it opens and closes a file. Update to 0.2.0 or later.',
      'JavaScript before 0.4.0: Does not start where',
    ],
  ],
]

test.each(pages)('%s answers its questions in words, drawings and tables', async (path, charts, expected) => {
  const { status, body, headers } = await get(path)
  expect(status).toBe(200)
  expect(headers.get('refresh')).toBeNull()
  for (const text of expected) expect(body).toContain(text)
  const drawn = Array.from(body.matchAll(/<h2 id="chart-\d+"><a href="[^"]*\/data\/\w+\/(\w+)/g), ([, chart]) => chart)
  expect(drawn).toEqual(charts)
  expect(body.match(/<svg class="chart /g)).toHaveLength(charts.length)
  // a small card has table and rule in one place
  for (const what of ['As a table', 'What counts'])
    expect(body.match(new RegExp(`<summary>(${what}|\\d+ choices? by)`, 'g'))).toHaveLength(charts.length)
  expect(body).not.toMatch(/style=|NaN|undefined|<script(?! type="module" src)/)
})

test.each(pages)('%s shows names as text', async (path) => {
  change = renamed
  const { status, body } = await get(path)
  expect(status).toBe(200)
  expect(body).toContain('&lt;script&gt;')
  expect(body).not.toContain('<script>alert')
})

test.each(pages)('%s says what to do when nothing arrived, and that it still counts', async (path) => {
  isEmpty = true
  expect((await get(`${path}?days=7`)).body).toContain('Show 30 days')
  expect((await get(`${path}?from=sandbox`)).body).toContain('Open a sandbox session')
  const hasExample = path !== 'data/problems'
  expect((await get(path)).body.includes('What you will see here: an example')).toBe(hasExample)
  published = false
  expect((await get(path)).body).toContain(path === '' ? 'Next: ' : 'See the next step')
  complete = false
  const { body, headers } = await get(path)
  expect(headers.get('refresh')).toBe('1')
  expect(body).toMatch(/Still counting: [\d,]+ statements to go/)
  expect(body).not.toContain('See the next step')
})

test.each(pages.flatMap(([path, charts]) => charts.slice(0, 1).map((chart) => [path, chart] as const)))(
  '%s: %s has its own address, CSV and SVG',
  async (path, chart) => {
    const page = path || (chart === 'funnel' ? 'data/progress' : 'data/activity')
    const at = `${page}/${chart}`
    const { status, body } = await get(`${at}?days=90`)
    expect(status).toBe(200)
    expect(body.match(/<svg class="chart /g)).toHaveLength(1)
    expect(body).toContain(`href="/games/${id}/${page}?days=90">All charts of this page`)
    const csv = await get(`${at}.csv`)
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(csv.headers.get('content-disposition')).toBe(`attachment; filename=bridges-rivers-${chart}.csv`)
    expect(csv.body.split('\r\n').length).toBeGreaterThan(2)
    const svg = await get(`${at}.svg`)
    expect(svg.headers.get('content-type')).toMatch(/^image\/svg\+xml/)
    expect(svg.body).toMatch(/^<svg xmlns/)
    complete = false
    expect((await get(`${at}.csv`)).status).toBe(503)
  },
)

test.each([
  ['data', ''],
  ['data?days=7', '?days=7'],
  ['data/overview', ''],
  ['data/overview/people?days=90', '/data/activity/people?days=90'],
  ['data/overview/verbs.csv', '/data/activity/verbs.csv'],
])('%s, an address of before, leads to its page', async (before, now) => {
  const { status, headers } = await get(before)
  expect([status, headers.get('location')]).toEqual([303, `/games/${id}${now}`])
})

test('the overview compares its numbers with as many days right before', async () => {
  await get('?since=2026-11-11&until=2026-11-20')
  expect(asked.insights.map(({ from, to }) => [from, to])).toEqual([
    ['2026-11-11', '2026-11-20'],
    ['2026-11-01', '2026-11-10'],
  ])
})

test.each([
  'data/nothing',
  'data/progress/nothing',
  'data/progress/funnel.pdf',
  'data/constructor',
  'data/progress/times.csv.svg',
])('there is no page at %s', async (path) => {
  expect((await get(path)).status).toBe(404)
})

test('the days, the sandbox and two builds go to core, and over the tabs', async () => {
  const { body } = await get('data/progress?since=2026-11-01&until=2026-11-12&from=sandbox&build=3&compare=2')
  const wanted = { gameId: id, from: '2026-11-01', to: '2026-11-12', sandbox: true }
  expect(asked.answers).toMatchObject([
    { ...wanted, build: 3 },
    { ...wanted, build: 2 },
  ])
  const query = 'from=sandbox&amp;since=2026-11-01&amp;until=2026-11-12&amp;build=3&amp;compare=2'
  for (const page of ['', '/data/return', '/data/elements'])
    expect(body).toContain(`href="/games/${id}${page}?${query}"`)
  expect(body).toContain(`href="/games/${id}/statements?from=sandbox&amp;build=3&amp;compare=2"`)
  expect(body).toContain('<option value="3" selected>Build 3 (30 players)</option>')
  expect(body).toContain('Build 3: 48 new players.')
  expect(body).toContain('Moon, Build 2: 46 started it')
  await get('data/elements?build=0&days=7')
  expect(asked.played).toHaveLength(4)
  for (const of of asked.played) expect(of).toMatchObject({ gameId: id, build: 0, sandbox: false })
})

test('a value of the cut is chosen as a build is, and compared with another value', async () => {
  const { body } = await get('data/progress?build=2345678&compare=2000000')
  expect(asked.answers.map(({ build }) => build)).toEqual([2_345_678, 2_000_000])
  expect(body).toContain('Build or device<select name="build">')
  expect(body).toContain('<option value="2345678" selected>“phone” (21 players)</option>')
  expect(body).toContain('Moon, device not told: 46 started it')
  const compared = (await get('data/compare?build=2345678')).body
  expect(compared).toContain('Is “phone” better than device not told?')
  expect(compared).toContain('at the first try, as with device not told.')
  expect(asked.answers.at(-1)!.build).toBe(2_000_000)
  // it has players in common with a build; the value may have none in these days; refused requests tell none
  for (const [path, said] of [
    ['data/progress?build=2345678&compare=3', '<summary>“phone”<span'],
    ['data/progress?build=2999999', '<option value="2999999" selected>A value without players (0 players)</option>'],
    ['data/problems?build=2345678', '<summary>All builds'],
  ])
    expect((await get(path!)).body).toContain(said)
  expect(asked.answers.at(-1)!.build).toBeUndefined()
})

test('a build is compared with itself in as many days before', async () => {
  const { body } = await get('data/progress?since=2026-11-11&until=2026-11-20&build=3&compare=before')
  expect(asked.answers.map(({ build, from, to }) => [build, from, to])).toEqual([
    [3, '2026-11-11', '2026-11-20'],
    [3, '2026-11-01', '2026-11-10'],
  ])
  for (const said of [
    'This period: 48 new players.',
    'Moon, The period before: 46 started it',
    '<option value="before" selected>As many days before</option>',
    `href="/games/${id}/data/return?since=2026-11-11&amp;until=2026-11-20&amp;build=3&amp;compare=before"`,
  ])
    expect(body).toContain(said)
  expect((await get('data/compare?compare=before')).body).toContain('Is this period better than the one before?')
  expect(asked.answers.at(-1)!.build).toBeUndefined()
})

test('ranges are whole days up to today; what is no range is told in the form', async () => {
  for (const query of ['', '?days=7', '?days=90', '?days=1e9']) await get(`data/activity${query}`)
  const length = ({ from, to }: GetInsightsRequest) => (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1
  expect(asked.insights.map(length)).toEqual([30, 7, 90, 30])
  expect(asked.insights[0]!.to).toBe(new Date().toISOString().slice(0, 10))
  const { status, body } = await get('data/activity?since=2026-11-20&until=2026-11-01')
  expect(status).toBe(400)
  expect(body).toContain('The first day is after the last one.')
  expect(body).toContain('name="since" value="2026-11-20"')
})

test.each([
  ['2026-11-01', '2026-11-12', { from: '2026-11-01', to: '2026-11-12' }],
  ['', '2026-11-12', { from: '2026-11-06', to: '2026-11-12' }],
  ['2026-02-30', '', undefined],
  ['2026-11-01T00:00:00Z', '', undefined],
  ['2020-01-01', '2026-11-12', { message: 'Choose 366 days at most.', since: '2020-01-01', until: '2026-11-12' }],
  ['', '', undefined],
])('days from %j to %j', (since, until, expected) => {
  expect(chosenDays(since, until, 7)).toEqual(expected)
})

test.each(pages)('%s says how many statements are of days that are not counted one by one', async (path) => {
  expect((await get(path)).body).not.toContain('in no chart by day')
  otherDays = 1_234n
  expect((await get(path)).body.replaceAll(/\s+/g, ' ')).toContain(
    '1,234 statements of this game are in no chart by day',
  )
})
