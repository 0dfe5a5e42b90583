import type { JWTPayload } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { TakeLtiMembersResponse_Outcome as Outcome } from '../gen/lrs/v1/lti_pb.js'
import { claim } from '../core/connections/rules/lti-claims.ts'
import { reasonOf } from './support/failures.ts'
import { membership, startPlatform, type TestPlatform } from './support/lti.ts'
import { simpleBrowser } from './support/openid.ts'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import { addStudio, type Studio } from './support/studios.ts'

let system: PortalSystem
let platform: TestPlatform
let school: Studio
let slug: string
let classId: string
beforeAll(async () => {
  ;[system, platform] = await Promise.all([startPortalSystem(), startPlatform()])
  school = await addStudio(system, 'Oak School', { kind: 'school' })
  slug = (await system.publish(await system.studio('Blue Fox'), 'Quiz')).slug
  await school.on().lti.addPlatform({ platform: platform.settings() })
  await launch({ sub: 's1', name: 'Name 1' })
  classId = (await school.on().schools.listSchoolClasses({})).classes[0]!.classId
})
afterAll(() => Promise.all([system.close(), platform.close()]))
beforeEach(() => void Object.assign(platform.state, { members: some(90), ofPage: 50, failsAt: Infinity, nextAt: '' }))

const learner = (n: number, more = {}) => ({
  user_id: `s${n}`,
  status: 'Active',
  roles: [membership('Learner')],
  given_name: `Name ${n}`,
  family_name: 'Oak',
  email: 'a@example.org',
  ...more,
})
const some = (count: number, from = 1): object[] => Array.from({ length: count }, (_, n) => learner(from + n))
/** 110 members who are no learners, with those who are. */
const withOthers = (learners: readonly object[]) => [
  ...Array.from({ length: 55 }, (_, n) => learner(n + 500, { roles: ['Instructor'] })),
  ...learners,
  ...Array.from({ length: 55 }, (_, n) => learner(n + 600, { status: 'Inactive' })),
]

async function launch(more: JWTPayload = {}, course = 'x1') {
  const { schoolId } = await school.on().lti.listPlatforms({})
  const browser = simpleBrowser(system.url)
  const asked = { iss: platform.issuer, login_hint: 'h1', target_link_uri: `${system.url}/lti/launch` }
  const begun = await browser.ask(`/lti/login/${schoolId}?${new URLSearchParams(asked).toString()}`)
  const { searchParams } = new URL(begun.headers.get('location')!)
  const claims = platform.claims(system.url, searchParams.get('nonce')!, {
    [claim.context]: { id: course, title: course },
    [claim.members]: { context_memberships_url: `${platform.issuer}/members` },
    [claim.custom]: { game: slug },
    ...more,
  })
  const body = new URLSearchParams({ state: searchParams.get('state')!, id_token: await platform.sign(claims) })
  const text = await (
    await browser.ask('/lti/launch', { method: 'POST', headers: { origin: platform.issuer }, body })
  ).text()
  const [, action, token] = /action="(\/lti-play\/[^"]+)"[^]*name="token" value="([^"]+)"/.exec(text) ?? []
  return { play: () => browser.post(action!, { token: token! }), text }
}
const take = (leavers = 0) => school.on().lti.takeLtiMembers({ classId, leavers })
const pupils = async () => (await school.on().schools.getSchoolClass({ classId })).pupils
const names = async () => (await pupils()).map(({ name }) => name).toSorted()
const namesTo = (count: number, from = 1) => Array.from({ length: count }, (_, n) => `Name ${from + n}`).toSorted()

test('200 members in pages of 50: the active learners are the pupils, with those that were made by hand', async () => {
  platform.state.members = withOthers(some(90))
  await school.on().schools.addPupils({ classId, pupilNames: ['By hand'] })
  const before = (await pupils()).find(({ name }) => name === 'Name 1')!
  expect(await take()).toMatchObject({ outcome: Outcome.TAKEN, learners: 90, joins: 89, leaves: 0, before: 1 })
  expect(await names()).toEqual(['By hand', ...namesTo(90)])
  expect((await pupils()).find(({ name }) => name === 'Name 1')!.pupilId).toBe(before.pupilId)
  expect(await take()).toMatchObject({ outcome: Outcome.TAKEN, joins: 0, leaves: 0, before: 90 })
  const kept = await system.database.sql('select 1 from pupil_identity where subject ~ $1', ['^s[56]\\d\\d$'])
  expect(kept).toEqual([])
})

test.each([
  ['fails in the middle', { failsAt: 2 }, Outcome.NO_ANSWER, / answers with 500$/],
  [
    'goes on at another address',
    { nextAt: 'http://127.0.0.1:1' },
    Outcome.NO_ANSWER,
    /a next page at another address$/,
  ],
  ['has no end', { ofPage: 1 }, Outcome.NO_ANSWER, /more than 20 pages$/],
  ['is empty', { members: [] }, Outcome.NOBODY, /^$/],
  ['has only teachers', { members: withOthers([]) }, Outcome.NOBODY, /^$/],
  ['is no list', { members: undefined }, Outcome.NO_ANSWER, /sends no list/],
  ['is larger than a class', { members: some(200) }, Outcome.FULL, /^$/],
  ['lacks more than a tenth', { members: some(80) }, Outcome.MANY_LEAVE, /^$/],
])('a course that %s changes nothing', async (_, state, outcome, why) => {
  const before = await names()
  Object.assign(platform.state, state)
  expect(await take()).toMatchObject({ outcome, why: expect.stringMatching(why) })
  expect(await names()).toEqual(before)
})

test('who is inactive or missing leaves, after the number was typed if they are many, and comes back as the same', async () => {
  const before = await pupils()
  platform.state.members = [...some(78), learner(79, { status: 'Inactive' }), learner(80, { status: 'Deleted' })]
  expect(await take(11)).toMatchObject({ outcome: Outcome.MANY_LEAVE, leaves: 12, before: 90 })
  expect(await take(12)).toMatchObject({ outcome: Outcome.TAKEN, leaves: 12, joins: 0 })
  expect(await names()).toEqual(['By hand', ...namesTo(78)])
  // one comes back by a launch, the others with the course
  await launch({ sub: 's79', name: 'Name 79' })
  platform.state.members = some(90)
  expect(await take()).toMatchObject({ outcome: Outcome.TAKEN, joins: 11, leaves: 0 })
  const ids = (all: typeof before) => all.map(({ pupilId }) => pupilId).toSorted()
  expect(ids(await pupils())).toEqual(ids(before))
})

test('names are those of a roster; without a name it is a nickname, and it stays', async () => {
  const renamed = [
    learner(1, { given_name: 'Ada' }),
    learner(2, { given_name: 'Ada', family_name: 'Elm' }),
    learner(3, { given_name: undefined, name: 'Cy Elm' }),
    learner(4, { given_name: '\u202e' }),
    learner(91, { given_name: undefined }),
  ]
  platform.state.members = [...renamed, ...some(86, 5)]
  await take()
  const first = await names()
  expect(first).toEqual(expect.arrayContaining(['Ada Oak', 'Ada Elm', 'Cy Elm', 'Name 4']))
  await take()
  expect(await names()).toEqual(first)
})

test('a child in two courses has one account in a game', async () => {
  for (const course of ['x1', 'x2']) await (await launch({ sub: 's5', name: 'Name 5' }, course)).play()
  const rows = await system.database.sql(
    "select count(distinct a.pupil)::int as pupils, count(distinct a.learner)::int as learners from lti_attempt a join pupil_identity i on i.pupil = a.pupil where i.subject = 's5'",
  )
  expect(rows).toEqual([{ pupils: 2, learners: 1 }])
})

test('the launch of a teacher takes the pupils, once an hour', async () => {
  const teach = () => launch({ sub: 't1', [claim.roles]: [membership('Instructor')] })
  await take()
  const before = platform.state.lists
  for (const count of [89, 88]) {
    platform.state.members = some(count)
    await teach()
    await teach()
    await expect.poll(names).toHaveLength(count + 1)
    await system.database.sql("update lti_context set members_asked = now() - interval '61 minutes'")
  }
  expect(platform.state.lists - before).toBe(2)
})

test('the page of the class asks for the number, in the language of the teacher', async () => {
  platform.state.members = some(70)
  const send = async (path: string, more?: Record<string, string>) => {
    const headers = { cookie: `session=${school.session}`, origin: system.url, 'accept-language': 'de' }
    const body = more && { method: 'POST', body: new URLSearchParams(more) }
    const answer = await fetch(`${system.url}${path}`, { redirect: 'manual', headers, ...body })
    return { to: answer.headers.get('location'), text: await answer.text() }
  }
  const { text } = await send(`/classes/${classId}`)
  expect(text).toContain('Kinder aus dem Kurs übernehmen')
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)![1]!
  const asked = await send(`/classes/${classId}/course`, { csrf })
  const leaves = /(\d+) von \d+ Kindern sind nicht mehr im Kurs/.exec(asked.text)![1]!
  expect((await send(`/classes/${classId}/course`, { csrf, leavers: '1' })).text).toContain('Die Zahl ist falsch.')
  const done = await send(`/classes/${classId}/course`, { csrf, leavers: leaves })
  expect(done.to).toBe(`/classes/${classId}?done=members`)
})

test('a class that is no course, or that of another school, is not found', async () => {
  const other = await addStudio(system, 'Elm School', { kind: 'school' })
  expect(await reasonOf(other.on().lti.takeLtiMembers({ classId }))).toBe('NOT_FOUND')
  expect(await other.on().lti.getLtiCourse({ classId })).toMatchObject({ platform: '', offersMembers: false })
  const { classId: made } = await school.on().schools.createSchoolClass({ name: '4c', pupilNames: [] })
  expect(await reasonOf(school.on().lti.takeLtiMembers({ classId: made }))).toBe('NOT_FOUND')
})
