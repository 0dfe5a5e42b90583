import { expect, onTestFinished, test } from 'vitest'
import { BuildKind } from '../../../gen/lrs/v1/games_pb.js'
import { build } from '../../../test/support/stub-core.ts'
import { given, startStubPlay, started, studioCookie } from '../../../test/support/stub-play.ts'

const call = startStubPlay()
const at = (query: object) => `/cmi5/bridges-rivers?${new URLSearchParams(query as Record<string, string>)}`
const lms = { endpoint: 'https://lrs.example/xapi', fetch: 'https://lms.example:444/fetch?k=1', actor: '{}' }

test('the page may connect to the two origins of the launch only, is in no frame, and starts no session', async () => {
  started.splice(0)
  const { status, headers, body } = await call(at(lms), { cookie: studioCookie })
  expect([status, headers.get('cache-control'), headers.get('set-cookie')]).toEqual([200, 'no-store', null])
  const policy = headers.get('content-security-policy')!
  for (const directive of [
    'connect-src https://lrs.example https://lms.example:444;',
    "script-src 'self';",
    'frame-src http://127.0.0.1:8099;',
    "frame-ancestors 'none'",
  ])
    expect(policy).toContain(directive)
  expect(body).toContain(`data-src="http://127.0.0.1:8099/b/${build.buildId}/index.html"`)
  // nothing of the query, of a session or of an account
  for (const word of ['lrs.example', 'data-launch', 'Bearer', 'Sign out', '<img src=x', 'autoplay'])
    expect(body).not.toContain(word)
  expect(started).toEqual([])
})

test.for([
  ['endpoint', ''],
  ['endpoint', 'nothing'],
  ['endpoint', 'http://lrs.example/xapi'],
  ['endpoint', "https://a;frame-ancestors'/"],
  ['endpoint', 'https://a,b.example/'],
  ['endpoint', 'javascript:alert(1)'],
  ['endpoint', 'data:text/html,x'],
  ['endpoint', 'wss://lrs.example/xapi'],
  ['fetch', ''],
  ['fetch', 'http://localhost.example/fetch'],
  ['fetch', '//lms.example/fetch'],
  ['fetch', 'https://*.example/fetch'],
] as const)('%s may not be %j', async ([name, value]) => {
  const { status, headers, body } = await call(at({ ...lms, [name]: value }))
  expect([status, body.includes(`${name}: must be`)]).toEqual([400, true])
  expect(headers.get('content-security-policy')).toContain("connect-src 'self';")
})

test('the portal is no system that launches: its scripts send it no forms of others', async () => {
  const [own] = /http:\/\/127\.0\.0\.1:\d+(?=\/cmi5\/bridges)/.exec((await call('/cmi5/bridges-rivers.xml')).body)!
  expect((await call(at({ ...lms, fetch: `${own}/play/bridges-rivers/forget` }))).status).toBe(400)
})

test('a course structure has the game as its unit', async () => {
  const { headers, body } = await call('/cmi5/bridges-rivers.xml?moveOn=Passed&masteryScore=0.75')
  expect(headers.get('content-type')).toMatch(/^application\/xml/)
  expect(headers.get('content-disposition')).toContain('bridges-rivers-cmi5.xml')
  expect(body).toMatch(/<au id="[^"]+" launchMethod="OwnWindow" moveOn="Passed" masteryScore="0.75">/)
  expect(body).toMatch(/<url>http:\/\/127\.0\.0\.1:\d+\/cmi5\/bridges-rivers<\/url>/)
  expect(body).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')
  expect((await call('/cmi5/bridges-rivers.xml')).body).toMatch(/moveOn="CompletedOrPassed">/)
  for (const wrong of ['moveOn=Maybe', 'masteryScore=1.1', 'masteryScore=0.12345', 'masteryScore=x'])
    expect((await call(`/cmi5/bridges-rivers.xml?${wrong}`)).status, wrong).toBe(400)
  expect((await call('/cmi5/none.xml')).status).toBe(404)
})

test('a game that does not run in a browser is no unit', async () => {
  onTestFinished(() => void (given.build = build))
  given.build = { ...build, kind: BuildKind.DESKTOP, storageKey: 'packages/x' }
  expect((await call('/cmi5/bridges-rivers.xml')).status).toBe(400)
  expect((await call(at(lms))).body).not.toContain('<iframe')
})
