import { createLocalJWKSet, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { LtiGradeState as GradeState } from '../gen/lrs/v1/lti_pb.js'
import { claim } from '../core/connections/rules/lti-claims.ts'
import { scopes } from '../core/connections/rules/lti-grade.ts'
import { reasonOf } from './support/failures.ts'
import { membership, report, startGraded, startPlatform, type TestPlatform } from './support/lti.ts'
import { simpleBrowser } from './support/openid.ts'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import { addStudio, type Studio } from './support/studios.ts'

let system: PortalSystem
let platform: TestPlatform
let [school, other] = [] as unknown as [Studio, Studio]
let schoolId: string
let platformId: string
let slug: string
beforeAll(async () => {
  ;[system, platform] = await Promise.all([startPortalSystem({ gradeMs: 50 }), startPlatform()])
  school = await addStudio(system, 'Oak School', { kind: 'school' })
  other = await addStudio(system, 'Elm School', { kind: 'school' })
  slug = (await system.publish(await system.studio('Blue Fox'), 'Quiz')).slug
  ;({ platformId } = await school.on().lti.addPlatform({ platform: platform.settings() }))
  ;({ schoolId } = await school.on().lti.listPlatforms({}))
})
afterAll(() => Promise.all([system.close(), platform.close()]))

type Browser = ReturnType<typeof simpleBrowser>
const login = (more: Record<string, string> = {}): string => {
  const asked = { iss: platform.issuer, login_hint: 'h1', target_link_uri: `${system.url}/lti/launch`, ...more }
  return `/lti/login/${schoolId}?${new URLSearchParams(asked).toString()}`
}
const stateIn = async (answer: Response) => {
  const { searchParams } = new URL(answer.headers.get('location')!)
  return { state: searchParams.get('state')!, nonce: searchParams.get('nonce')!, searchParams }
}
/** As the page of the platform sends it. */
const post = (browser: Browser, fields: Record<string, string>) =>
  browser.ask('/lti/launch', {
    method: 'POST',
    headers: { origin: platform.issuer },
    body: new URLSearchParams(fields),
  })

/** A whole launch. @param sign in place of the key of the platform */
async function launch(more: JWTPayload = {}, sign = (claims: JWTPayload) => platform.sign(claims)) {
  const browser = simpleBrowser(system.url)
  const { state, nonce } = await stateIn(await browser.ask(login()))
  const answer = await post(browser, { state, id_token: await sign(platform.claims(system.url, nonce, more)) })
  return { browser, state, nonce, answer, text: await answer.text() }
}
const picked = (of: Record<string, string> = {}) => ({ [claim.custom]: { game: slug, ...of } })
const formIn = (text: string) => ({
  action: /action="(\/lti-play\/[^"]+)"/.exec(text)?.[1] ?? '',
  token: /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '',
})
const play = (browser: Browser, text: string) => browser.post(formIn(text).action, { token: formIn(text).token })
const attempts = () =>
  system.database.sql<{ pupil: string; name: string; class: string }>(
    'select a.pupil, p.name, c.name as class from lti_attempt a join pupil p on p.uuid = a.pupil join school_class c on c.uuid = p.class order by a.started',
  )

test('a login goes to the platform with all that the specification asks for', async () => {
  const answer = await simpleBrowser(system.url).ask(login({ lti_message_hint: 'm1', client_id: 'c1' }))
  expect(answer.status).toBe(302)
  const { searchParams, state, nonce } = await stateIn(answer)
  expect(answer.headers.get('location')).toMatch(new RegExp(`^${platform.issuer}/auth\\?`))
  expect(Object.fromEntries(searchParams)).toEqual({
    scope: 'openid',
    response_type: 'id_token',
    response_mode: 'form_post',
    prompt: 'none',
    client_id: 'c1',
    redirect_uri: `${system.url}/lti/launch`,
    login_hint: 'h1',
    lti_message_hint: 'm1',
    state,
    nonce,
  })
  const browser = simpleBrowser(system.url)
  const [path, query] = login().split('?')
  const headers = { origin: platform.issuer }
  expect((await browser.ask(path!, { method: 'POST', headers, body: new URLSearchParams(query) })).status).toBe(302)
})

test('a learner is the same pupil at each launch, in the class of the course, and plays with a launch token', async () => {
  const first = await launch(picked())
  expect([first.answer.status, first.text]).toEqual([200, expect.stringContaining('Quiz')])
  const played = await (await play(first.browser, first.text)).text()
  expect(played).toContain('name="session"')
  await play(first.browser, (await launch(picked())).text)
  const [one, two] = await attempts()
  expect(one).toMatchObject({ name: 'Ada', class: '4b' })
  expect(two!.pupil).toBe(one!.pupil)
  const { classes } = await school.on().schools.listSchoolClasses({})
  expect(classes.filter(({ name }) => name === '4b')).toHaveLength(1)
  // another person, and the same subject at another school's platform
  await play(first.browser, (await launch({ sub: 'u2', name: 'Ada', ...picked() })).text)
  expect((await attempts()).at(-1)!.name).toBe('Ada (2)')
})

test('the endpoints of grades and members are those of the last launch', async () => {
  const grades = { lineitem: 'https://lms.example/i/1', lineitems: 'https://lms.example/i', scope: ['s1'] }
  const members = { context_memberships_url: 'https://lms.example/m' }
  await launch({ ...picked({ level: 'https://g.example/1' }), [claim.grades]: grades, [claim.members]: members })
  const kept = await system.database.sql(
    'select l.line_item, l.line_items, l.scopes, l.level, c.members_url from lti_link l join lti_context c on c.uuid = l.context',
  )
  expect(kept).toEqual([
    {
      line_item: 'https://lms.example/i/1',
      line_items: 'https://lms.example/i',
      scopes: ['s1'],
      level: 'https://g.example/1',
      members_url: 'https://lms.example/m',
    },
  ])
})

test('a link with two attempts is played twice', async () => {
  const of = { [claim.link]: { id: 'r2' }, ...picked({ attempts: '2' }) }
  const { browser, text } = await launch(of)
  expect(text).toContain('You have 2 attempts left.')
  await play(browser, text)
  await play(browser, text)
  expect(await (await play(browser, text)).text()).toContain('You have used all your attempts.')
  expect((await launch(of)).text).toContain('You have used all your attempts.')
})

test('who teaches sees the link without names; who neither learns nor teaches sees nothing', async () => {
  const teacher = await launch({ name: 'Bo', sub: 't1', [claim.roles]: [membership('Instructor')], ...picked() })
  expect(teacher.text).toContain('This link starts Quiz.')
  expect(teacher.text).toMatch(/href="\/classes\/[\da-f-]{36}"/)
  expect(teacher.text).not.toContain('Ada')
  const mentor = await launch({ sub: 'm1', [claim.roles]: [membership('Mentor')], ...picked() })
  expect(mentor.text).toContain('There is nothing for you here.')
  const guest = await launch({ sub: undefined, name: undefined, ...picked() })
  expect(guest.text).toContain('You play as a guest, without a grade.')
  expect(guest.text).toContain(`href="/play/${slug}"`)
  const none = await launch({ ...picked(), [claim.custom]: undefined })
  expect(none.text).toContain('There is no game here now.')
})

describe('a launch is refused, with its text for the person and its claim for the school:', () => {
  const now = () => Math.floor(Date.now() / 1000)
  const cases: [string, JWTPayload, string, string, ((claims: JWTPayload) => Promise<string>)?][] = [
    ['a forged signature', {}, 'signature', 'We cannot tell', (claims) => platform.forge(claims)],
    ['a forged issuer', { iss: 'https://evil.example' }, 'iss', 'Your course is not known here.'],
    ['a wrong kid', {}, 'kid', 'We cannot tell', (claims) => platform.sign(claims, 'k2')],
    ['no algorithm', {}, 'alg', 'We cannot tell', async (claims) => platform.unsigned(claims)],
    ['HS256 with the public key', {}, 'alg', 'We cannot tell', (claims) => platform.confused(claims)],
    ['no token', {}, 'token', 'We cannot tell', async () => 'x'],
    ['an unknown deployment', { [claim.deployment]: 'd2' }, 'deployment_id', 'This part of your course'],
    ['a stale token', { exp: now() - 120 }, 'exp', 'The clock of your course'],
    ['another audience', { aud: 'c2' }, 'aud', 'Your course calls this service'],
    ['no nonce', { nonce: undefined }, 'nonce', 'This start was used already'],
    ['a foreign target', { [claim.target]: 'https://evil.example/lti/launch' }, 'target_link_uri', 'leads to another'],
    ['an unknown game', { [claim.custom]: { game: 'gone' } }, 'game', 'The game of this link'],
  ]
  test.each(cases)('%s', async (_, more, expected, text, sign) => {
    const refused = await launch(more, sign)
    expect([refused.answer.status, refused.text]).toEqual([400, expect.stringContaining(text)])
    const [newest] = (await school.on().lti.listLtiRefusals({})).refusals
    expect(newest).toMatchObject({ claim: expected, platform: 'Moodle' })
    expect(newest!.came + newest!.expected).not.toContain(refused.nonce)
    expect((await other.on().lti.listLtiRefusals({})).refusals).toEqual([])
  })

  test('a nonce twice, and a state twice', async () => {
    const { browser, state, nonce } = await launch(picked())
    const id_token = await platform.sign(platform.claims(system.url, nonce, picked()))
    browser.setCookie('x', 'y')
    const again = await stateIn(await browser.ask(login()))
    const replayed = await post(browser, { state: again.state, id_token })
    expect([replayed.status, await replayed.text()]).toEqual([400, expect.stringContaining('used already')])
    const spent = await post(browser, { state, id_token })
    expect([spent.status, await spent.text()]).toEqual([400, expect.stringContaining('used already')])
  })

  test('a login of a stranger, or to a foreign address', async () => {
    const browser = simpleBrowser(system.url)
    const cases: [Record<string, string>, string][] = [
      [{ iss: 'https://evil.example' }, 'issuer'],
      [{ client_id: 'c2' }, 'client_id'],
      [{ target_link_uri: 'https://evil.example/lti/launch' }, 'target_link_uri'],
      [{ login_hint: '' }, 'login_hint'],
    ]
    for (const [more, expected] of cases) {
      expect((await browser.ask(login(more))).status).toBe(400)
      expect((await school.on().lti.listLtiRefusals({})).refusals[0]!.claim).toBe(expected)
    }
  })
})

test('a launch counts in the browser that began it; others are shown the way in a new tab', async () => {
  const { state, nonce } = await stateIn(await simpleBrowser(system.url).ask(login({ lti_message_hint: 'm"1' })))
  const id_token = await platform.sign(platform.claims(system.url, nonce, picked()))
  const stranger = simpleBrowser(system.url)
  const text = await (await post(stranger, { state, id_token })).text()
  expect(text).toContain('Open the game in a new tab.')
  expect(text).toMatch(
    new RegExp(`href="/lti/login/${schoolId}\\?[^"]*lti_message_hint=m%221[^"]*"\\s+target="_blank"`),
  )
  // what a stranger says of the storage of the platform counts only from a page of ours, and only if it is right
  expect(
    (await stranger.post('/lti/launch/stored', { state, id_token, stored: 'x'.repeat(state.length) })).status,
  ).toBe(200)
  expect((await attempts()).length).toBeGreaterThan(0)
  const elsewhere = await stranger.ask('/lti/launch/stored', {
    method: 'POST',
    headers: { origin: platform.issuer },
    body: new URLSearchParams({ state, id_token, stored: state }),
  })
  expect(elsewhere.status).toBe(403)
  const stored = await stranger.post('/lti/launch/stored', { state, id_token, stored: state })
  expect(await stored.text()).toContain('Quiz')
})

test('a platform with a storage for tools keeps the state', async () => {
  const answer = await simpleBrowser(system.url).ask(login({ lti_storage_target: '_parent' }))
  expect(await answer.text()).toMatch(new RegExp(`data-target="_parent"\\s+data-origin="${platform.issuer}"`))
})

test('only the pages of the platform show a launch in a frame', async () => {
  const ancestors = (answer: Response) =>
    /frame-ancestors ([^;]*)/.exec(answer.headers.get('content-security-policy')!)![1]
  const { answer, browser, text } = await launch(picked())
  expect(ancestors(answer)).toBe(platform.issuer)
  expect(ancestors(await play(browser, text))).toBe(platform.issuer)
  expect(ancestors(await browser.ask(formIn(text).action))).toBe(platform.issuer)
  for (const path of ['/lti/launch', `/play/${slug}`, '/platforms', login({ iss: 'https://evil.example' })])
    expect([path, ancestors(await browser.ask(path))]).toEqual([path, "'none'"])
})

test('a teacher picks a game and the platform gets a signed link', async () => {
  const settings = {
    deep_link_return_url: `${platform.issuer}/back`,
    accept_types: ['ltiResourceLink'],
    data: 'opaque',
  }
  const deep = (roles: string[], more = {}) =>
    launch({
      [claim.type]: 'LtiDeepLinkingRequest',
      [claim.roles]: roles,
      [claim.picking]: { ...settings, ...more },
      [claim.link]: undefined,
    })
  expect((await deep([membership('Learner')])).text).toContain('There is nothing for you here.')
  const { browser, text } = await deep([membership('Instructor')])
  const of = {
    token: /name="token" value="([^"]+)"/.exec(text)![1]!,
    launch: /name="launch" value="([^"]+)"/.exec(text)![1]!,
    game: slug,
  }
  expect(text).toContain(`name="game" value="${slug}"`)
  expect(await (await browser.post('/lti/pick', of)).text()).toContain('Which attempt counts')
  const link = { ...of, title: 'Fractions', level: 'https://g.example/1', attempts: '3', grading: 'last' }
  const sent = await browser.post('/lti/pick/link', link)
  expect(sent.headers.get('content-security-policy')).toContain(`form-action 'self' ${platform.issuer};`)
  const page = await sent.text()
  expect(page).toContain(`action="${platform.issuer}/back"`)
  const keys = (await (await fetch(`${system.url}/lti/jwks/${schoolId}`)).json()) as JSONWebKeySet
  expect(Object.keys(keys.keys[0]!).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  const jwt = /name="JWT" value="([^"]+)"/.exec(page)![1]!
  const { payload } = await jwtVerify(jwt, createLocalJWKSet(keys), { issuer: 'c1', audience: platform.issuer })
  expect(payload).toMatchObject({
    [claim.deployment]: 'd1',
    [claim.type]: 'LtiDeepLinkingResponse',
    [claim.version]: '1.3.0',
    'https://purl.imsglobal.org/spec/lti-dl/claim/data': 'opaque',
    'https://purl.imsglobal.org/spec/lti-dl/claim/content_items': [
      {
        type: 'ltiResourceLink',
        title: 'Fractions',
        url: `${system.url}/lti/launch`,
        custom: { game: slug, level: 'https://g.example/1', attempts: '3', grading: 'last' },
        lineItem: { label: 'Fractions', scoreMaximum: 100 },
      },
    ],
  })
  // a learner's launch picks nothing
  const { token } = formIn((await launch(picked())).text)
  expect((await browser.post('/lti/pick/link', { ...link, token })).status).toBe(404)
  // a changed key signs from then on; the one before is served for a day
  const { keyId } = await system.admin.lti.rotateLtiKeys({ schoolId })
  const after = (await (await fetch(`${system.url}/lti/jwks/${schoolId}`)).json()) as JSONWebKeySet
  expect(after.keys.map(({ kid }) => kid)).toEqual([keyId, keys.keys[0]!.kid])
  // a platform of one school must not trust what another school has signed
  const { schoolId: others } = await other.on().lti.listPlatforms({})
  const theirs = (await (await fetch(`${system.url}/lti/jwks/${others}`)).json()) as JSONWebKeySet
  expect(after.keys.map(({ kid }) => kid)).not.toContain(theirs.keys[0]!.kid)
})

test('a platform registers itself by a link, once', async () => {
  const { code } = await other.on().lti.startRegistration({})
  const query = new URLSearchParams({ openid_configuration: `${platform.issuer}/config`, registration_token: 't1' })
  const path = `/lti/register/${code}?${query.toString()}`
  const browser = simpleBrowser(system.url)
  const done = await browser.ask(path)
  expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('Your school is connected.')])
  expect(platform.state.token).toBe('Bearer t1')
  const { schoolId: id, platforms } = await other.on().lti.listPlatforms({})
  expect(platform.state.registered).toMatchObject({
    initiate_login_uri: `${system.url}/lti/login/${id}`,
    redirect_uris: [`${system.url}/lti/launch`],
    jwks_uri: `${system.url}/lti/jwks/${id}`,
    token_endpoint_auth_method: 'private_key_jwt',
  })
  expect(platforms).toMatchObject([{ issuer: platform.issuer, clientId: 'dynamic', deployments: ['d9'] }])
  expect((await browser.ask(path)).status).toBe(404)
})

test('the keys of a platform are fetched once, and for unknown keys once a minute', async () => {
  const before = platform.state.fetches
  await launch(picked())
  for (let n = 0; n < 3; n++) await launch(picked(), (claims) => platform.sign(claims, `k${n + 5}`))
  expect(platform.state.fetches - before).toBeLessThanOrEqual(1)
})

test('a test launch shows each check with its result', async () => {
  const { checks } = await school.on().lti.testPlatform({ platformId, portalUrl: system.url })
  expect(checks.filter(({ passed }) => !passed)).toEqual([])
  expect(checks.map(({ claim: name }) => name)).toEqual(
    expect.arrayContaining(['keys', 'state', 'signature', 'nonce', 'deployment_id']),
  )
  const settings = { ...platform.settings(), platformId, deployments: [], jwksUrl: `${platform.issuer}/none` }
  await school.on().lti.changePlatform({ platform: settings })
  const wrong = (await school.on().lti.testPlatform({ platformId, portalUrl: system.url })).checks
  expect(wrong.flatMap(({ claim: name, passed }) => (passed ? [] : [name]))).toEqual(['keys', 'deployment_id'])
  await school.on().lti.changePlatform({ platform: { ...platform.settings(), platformId } })
})

test('only owners of a school connect, and only their own', async () => {
  const studio = await system.studio('Owl')
  expect(await reasonOf(studio.on().lti.addPlatform({ platform: platform.settings() }))).toBe('CONFLICT')
  expect(await reasonOf(other.on().lti.removePlatform({ platformId }))).toBe('NOT_FOUND')
  expect(await reasonOf(school.on().lti.addPlatform({ platform: platform.settings() }))).toBe('INVALID')
  const wrong = { ...platform.settings('c3'), jwksUrl: 'file:///etc/passwd' }
  expect(await reasonOf(school.on().lti.addPlatform({ platform: wrong }))).toBe('INVALID')
})

describe('grades', () => {
  const url = () => system.urls[0]!
  let users = 0
  /** A learner of a link of its own, or of one that is given. */
  const begin = (link: string, more: JWTPayload & { sub?: string } = {}, custom: Record<string, string> = {}) =>
    startGraded(system.admin.lti, platform, {
      schoolId,
      sub: `g${++users}`,
      [claim.link]: { id: link, title: 'Fractions' },
      ...picked(custom),
      ...more,
    })
  /** The looks at the attempts are due now. */
  const hasten = () => system.database.sql('update lti_grade set next_attempt = now() where leased is null')
  const scores = () => platform.state.scores.map(({ userId, scoreGiven }) => [userId, scoreGiven])
  const until = (check: () => Promise<void> | void) =>
    vi.waitFor(async () => (await hasten(), check()), { timeout: 10_000, interval: 100 })
  const classOf = async (name = '4b') =>
    (await school.on().schools.listSchoolClasses({})).classes.find((one) => one.name === name)!.classId
  const gradeOf = async (link: string) => {
    const { grades } = await school.on().lti.listLtiGrades({ classId: await classOf() })
    return grades.findLast((one) => one.link === link)!
  }

  test('a line item is made once, and each result is sent with a newer time', async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, () => begin('g1')))
    await Promise.all(sessions.map((session, n) => report(url(), session, 'passed', n / 4)))
    await until(() =>
      expect(scores().toSorted()).toEqual([
        ['g1', 0],
        ['g2', 25],
        ['g3', 50],
        ['g4', 75],
      ]),
    )
    expect(platform.state.items).toMatchObject([{ resourceLinkId: 'g1', label: 'Fractions', scoreMaximum: 100 }])
    expect(platform.state.scores[0]).toMatchObject({
      item: '/items/1/scores',
      scoreMaximum: 100,
      activityProgress: 'Completed',
      gradingProgress: 'FullyGraded',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    })
    // a second session is better; the worse third one changes nothing
    await report(url(), await begin('g1', { sub: 'g1' }), 'passed', 0.9)
    await report(url(), await begin('g1', { sub: 'g1' }), 'failed', 0.1)
    await until(() => expect(scores().at(-1)).toEqual(['g1', 90]))
    await system.database.sql(`update lti_attempt set through = 0`)
    await until(async () => expect(await gradeOf('Fractions')).toMatchObject({ state: GradeState.SENT }))
    expect(scores()).toHaveLength(5)
    expect(platform.state.items).toHaveLength(1)
  })

  test('a line item that is there is found, and one that a launch names is taken', async () => {
    platform.state.items.push({ id: `${platform.issuer}/items/7`, resourceLinkId: 'g2' })
    const named = { [claim.grades]: { lineitem: `${platform.issuer}/items/8`, scope: [scopes.score] } }
    const level = 'https://g.example/level/1'
    await report(url(), await begin('g2'), 'failed')
    await report(url(), await begin('g3', named, { level }), 'passed', undefined, level)
    await until(() =>
      expect(
        platform.state.scores
          .slice(-2)
          .map(({ item, scoreGiven }) => [item, scoreGiven])
          .toSorted(),
      ).toEqual([
        ['/items/7/scores', 0],
        ['/items/8/scores', 100],
      ]),
    )
  })

  test('an access token that ended is renewed', async () => {
    platform.state.tokens.push(new URLSearchParams())
    const before = platform.state.tokens.length
    await report(url(), await begin('g1', { sub: 'renewed' }), 'passed')
    await until(() => expect(scores().at(-1)).toEqual(['renewed', 100]))
    expect(platform.state.tokens.length).toBeGreaterThan(before)
  })

  test('a refused score is kept with its reason until a teacher sends it again', async () => {
    platform.state.refuse = 403
    const link = { [claim.link]: { id: 'g4', title: 'Refused' } }
    await report(url(), await begin('g4', { sub: 'refused', ...link }), 'passed', 0.5)
    await until(async () => expect((await gradeOf('Refused')).state).toBe(GradeState.REFUSED))
    await hasten()
    const { refused } = platform.state
    const grade = await gradeOf('Refused')
    expect(grade).toMatchObject({
      score: 0.5,
      sent: 0n,
      problem: expect.stringMatching(/^localhost:\d+ answered 403$/),
    })
    const classId = await classOf()
    const of = { classId, gradeId: grade.gradeId }
    expect(await reasonOf(other.on().lti.listLtiGrades({ classId }))).toBe('NOT_FOUND')
    expect(await reasonOf(other.on().lti.sendLtiGrade(of))).toBe('NOT_FOUND')
    platform.state.refuse = 0
    const headers = { cookie: `session=${school.session}`, origin: system.url, 'accept-language': 'en' }
    const page = `${system.url}/classes/${classId}/grades`
    const text = await (await fetch(page, { headers })).text()
    expect(text).toMatch(/refused<\/span><br>localhost:\d+ answered 403/)
    const body = new URLSearchParams({ grade: grade.gradeId, csrf: /name="csrf" value="([^"]+)"/.exec(text)![1]! })
    await fetch(page, { method: 'POST', headers, body, redirect: 'manual' })
    await until(async () => expect((await gradeOf('Refused')).state).toBe(GradeState.SENT))
    expect([scores().at(-1), platform.state.refused]).toEqual([['refused', 50], refused])
  })

  test('a platform that does not answer is asked again, and the newest score is sent', async () => {
    platform.state.refuse = 503
    const session = await begin('g6', { sub: 'late', [claim.link]: { id: 'g6', title: 'Late' } })
    await report(url(), session, 'failed', 0.2)
    await until(async () => expect((await gradeOf('Late')).problem).toContain('503'))
    await report(url(), session, 'attempted')
    await report(url(), session, 'passed', 0.8)
    platform.state.refuse = 0
    await until(() => expect(scores().findLast(([user]) => user === 'late')).toEqual(['late', 80]))
  })

  test('nothing is kept or sent where the platform gives no right to scores', async () => {
    const before = [scores().length, platform.state.refused]
    const without = { [claim.grades]: { lineitems: `${platform.issuer}/items`, scope: [scopes.lineItem] } }
    await report(url(), await begin('g5', { ...without, [claim.link]: { id: 'g5', title: 'Without' } }), 'passed')
    await hasten()
    expect(await gradeOf('Without')).toBeUndefined()
    expect([scores().length, platform.state.refused]).toEqual(before)
  })
})
