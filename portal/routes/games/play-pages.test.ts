import { expect, onTestFinished, test } from 'vitest'
import { BuildKind } from '../../../gen/lrs/v1/games_pb.js'
import { build } from '../../../test/support/stub-core.ts'
import { asked, ended, given, launch, sessionId, startStubPlay, started } from '../../../test/support/stub-play.ts'
import { codeOf } from '../parts/learner-cookie.ts'

const call = startStubPlay()
const secret = launch.sessionSecret
/** The cookie that an answer sets, as `name=value; attributes`; empty: it deletes the cookie. */
const cookieOf = ({ headers }: { headers: Headers }) =>
  headers.get('set-cookie')!.replace(/^learner-bridges-rivers=; .*/, '')
/** The cookie of a browser with this session, and with this learner: who gave the name, or said yes to it. */
const cookieWith = (session: string, token = '', by: '0' | '1' | '2' = '0', proven = '1') =>
  `learner-bridges-rivers=1.${token}.${token && 'QWRh'}.${session}.${by}.${proven}`
const enter = (form: Record<string, string>, cookie = '') =>
  call('/play/bridges-rivers', { method: 'POST', cookie, form })

test('a learner plays by a name; the next one is not offered to play on', async () => {
  expect((await call('/play/bridges-rivers')).body).not.toContain('<img src=x')
  expect(await enter({ learner_name: '' })).toMatchObject({
    status: 400,
    body: expect.stringContaining('aria-invalid="true"'),
  })
  const first = await enter({ learner_name: 'Ada' })
  expect(first).toMatchObject({ status: 303, location: '/play/bridges-rivers/game' })
  const cookie = cookieOf(first).split(';')[0]!
  // the session alone, until the browser is closed
  expect(cookieOf(first)).toMatch(/^learner-bridges-rivers=\w+\.\.\.s{43}\.0\.0; Path=\/; HttpOnly; SameSite=Lax$/)
  expect((await call('/play/bridges-rivers/game', { cookie })).body).toContain('data-launch=')
  const { body } = await call('/play/bridges-rivers', { cookie })
  for (const word of ['Yes, continue', 'Are you', 'Ada']) expect(body).not.toContain(word)
  // the next learner ends the session that the last one left running
  await enter({ learner_name: 'Bo' }, cookie)
  expect(started.at(-1)).toMatchObject({ learnerToken: '', learnerName: 'Bo' })
  expect(ended.splice(0)).toEqual([secret])
  const left = await call('/play/bridges-rivers/end', { method: 'POST', cookie })
  expect([left.location, ended.splice(0), cookieOf(left)]).toEqual(['/play/bridges-rivers/end', [secret], ''])
  expect((await call('/play/bridges-rivers/end')).body).toContain('does not remember you')
})

test('a learner who asks to be remembered continues, even after others have played, until forgotten', async () => {
  const kept = cookieOf(await enter({ learner_name: 'Ada', remember: 'yes' }))
  expect(kept).toMatch(/^learner-bridges-rivers=\w+\.token-of-the-learner\..*\.s{43}\.2\.0; Max-Age=2592000; /)
  const cookie = kept.split(';')[0]!
  expect((await call('/play/bridges-rivers', { cookie })).body).toContain('Are you ')
  await enter({ as: 'before' }, cookie)
  expect(started.at(-1)).toMatchObject({ learnerToken: 'token-of-the-learner', learnerName: '' })
  // another learner, who does not ask
  const other = await enter({ learner_name: 'Bo' }, cookie)
  expect(started.at(-1)).toMatchObject({ learnerToken: '', learnerName: 'Bo' })
  expect(cookieOf(other)).toMatch(/^learner-bridges-rivers=\w+\.token-of-the-learner\.[^.]+\.s{43}\.0\.0;/)
  expect(ended.splice(0)).toEqual([secret, secret])
  const left = await call('/play/bridges-rivers/end', { method: 'POST', cookie })
  expect([cookieOf(left), ended.splice(0)]).toEqual([
    expect.stringMatching(/^learner-bridges-rivers=\w+\.token-of-the-learner\.[^.]+\.\.2\.\w+; /),
    [secret],
  ])
  const forgotten = await call('/play/bridges-rivers/forget', { method: 'POST', cookie })
  // with the session of the learner who is forgotten
  expect([forgotten.location, cookieOf(forgotten), ended.splice(0)]).toEqual(['/play/bridges-rivers', '', [secret]])
  // that of another one goes on
  const other2 = await call('/play/bridges-rivers/forget', { method: 'POST', cookie: cookieWith(secret, 'token') })
  expect([cookieOf(other2), ended]).toEqual([
    expect.stringMatching(/^learner-bridges-rivers=\w+\.\.\.s{43}\.0\.0;/),
    [],
  ])
})

test('the next person at a computer sees no data of a remembered learner without the code', async () => {
  asked.splice(0)
  const at = '/play/bridges-rivers'
  const later = cookieWith('', 'token')
  const said = await call(`${at}/data`, { cookie: later })
  expect([said.body.includes('Your code'), asked]).toEqual([true, []])
  // neither by saying yes to the name, nor by the session that begins with it
  const yes = cookieOf(await enter({ as: 'before' }, later)).split(';')[0]!
  for (const query of ['', '?as=session'])
    expect((await call(`${at}/data${query}`, { cookie: yes })).body).toContain('Your code')
  for (const as of ['', 'session']) {
    expect((await call(`${at}/data/erase`, { method: 'POST', cookie: yes, form: { as, sure: 'yes' } })).status).toBe(
      403,
    )
    expect((await call(`${at}/data/export?as=${as}`, { cookie: yes })).status).toBe(403)
  }
  const code = (form: string) => call(`${at}/data/code`, { method: 'POST', cookie: later, form: { code: form } })
  expect((await code('AAAA-AAAA')).status).toBe(400)
  expect(asked).toEqual([])
  const right = await code(codeOf('token').toLowerCase())
  await call(right.location!, { cookie: cookieOf(right).split(';')[0]! })
  expect(asked.splice(0)).toEqual(['token'])
  // who gave the name sees them, and gets the code when leaving
  const born = cookieOf(await enter({ learner_name: 'Ada', remember: 'yes' })).split(';')[0]!
  await call(`${at}/data?as=session`, { cookie: born })
  expect(asked.splice(0)).toEqual([secret])
  const left = await call(`${at}/end`, { method: 'POST', cookie: born })
  const { body } = await call(`${at}/end`, { cookie: cookieOf(left).split(';')[0]! })
  expect(body).toContain(codeOf('token-of-the-learner'))
  expect((await call(`${at}/end`, { cookie: later })).body).not.toContain(codeOf('token'))
  ended.splice(0)
})

test.each([
  ['of a sandbox', { sandbox: true }],
  ['of another game', { sandbox: false, gameId: sessionId }],
])('a session %s does not play here', async (_, other) => {
  const first = await call('/play/bridges-rivers', { method: 'POST', form: { learner_name: 'Ada' } })
  const cookie = first.headers.get('set-cookie')!.split(';')[0]!
  given.played = other
  onTestFinished(() => void (given.played = { sandbox: false }))
  expect(await call('/play/bridges-rivers/game', { cookie })).toMatchObject({
    status: 303,
    location: '/play/bridges-rivers',
  })
  expect((await call('/play/bridges-rivers/launch.json', { cookie })).status).toBe(404)
})

test('without a session the game leads back to its entrance; addresses that are none are not found', async () => {
  expect(await call('/play/bridges-rivers/game')).toMatchObject({ status: 303, location: '/play/bridges-rivers' })
  expect(await call('/play/bridges-rivers/game', { cookie: cookieWith('gone', 'a') })).toMatchObject({
    status: 303,
  })
  expect((await call('/play/a;b')).status).toBe(404)
})

test('an invitation is for one learner and leaves the browser its own', async () => {
  const { body } = await call('/play/bridges-rivers?invitation=code')
  expect(body).toContain('<input type="hidden" name="invitation" value="code">')
  const { headers } = await call('/play/bridges-rivers', { method: 'POST', form: { invitation: 'code' } })
  expect(headers.get('set-cookie')).toMatch(/^learner-bridges-rivers=\w+\.\.\./)
})

test('a desktop build gets the launch context as a file and as variables', async () => {
  given.build = { ...build, kind: BuildKind.DESKTOP, storageKey: 'packages/x' }
  onTestFinished(() => void (given.build = build))
  const cookie = cookieWith(launch.sessionSecret)
  const { body } = await call('/play/bridges-rivers/game', { cookie })
  expect(body).toContain('XAPI_AUTH=&#39;Bearer a.b.c&#39;')
  expect(body).toContain(`href="http://127.0.0.1:8099/d/${build.buildId}/bridges-1.2.zip"`)
  const file = await call('/play/bridges-rivers/launch.json', { cookie })
  expect(file.headers.get('content-disposition')).toContain('attachment')
  expect(JSON.parse(file.body)).toMatchObject({
    endpoint: 'http://127.0.0.1:8080/xapi/',
    auth: 'Bearer a.b.c',
    activity_id: launch.activityId,
  })
})

test('who leaves sees the result for 15 minutes; opening the page of the game ends that', async () => {
  const cookie = cookieWith(secret)
  const left = await call('/play/bridges-rivers/end', { method: 'POST', cookie })
  const kept = left.headers.getSetCookie().find((one) => one.startsWith('ended-session'))!
  expect(kept).toMatch(/^ended-session=bridges-rivers\.s{43}; Max-Age=900; Path=\/; .*HttpOnly; SameSite=Lax$/)
  ended.splice(0)
  const { body } = await call('/play/bridges-rivers/end', { cookie: kept.split(';')[0]! })
  expect(body).toContain('50 %')
  expect(body).toContain('1 min 5 s')
  expect(body).not.toContain('<img src=x')
  const gone = await call('/play/bridges-rivers', { cookie: kept.split(';')[0]! })
  expect(gone.headers.get('set-cookie')).toMatch(/^ended-session=; Path=\/; Expires=Thu, 01 Jan 1970/)
  expect((await call('/play/bridges-rivers/end', { cookie: 'ended-session=bridges-rivers.gone' })).body).not.toContain(
    '50 %',
  )
})

test('a game that ended before it was loaded here has not ended', async () => {
  const cookie = cookieWith(secret)
  const ask = async (form: Record<string, string>, as = cookie) =>
    call('/play/bridges-rivers/result', { method: 'POST', cookie: as, form })
  const endedBy = async (age: string) => JSON.parse((await ask({ age })).body).ended
  // 20 seconds ago; one that is loaded again says so in its first seconds
  expect([await endedBy('30000'), await endedBy('24000'), await endedBy('10000')]).toEqual(['terminated', '', ''])
  expect(JSON.parse((await ask({})).body)).toEqual({ ended: 'terminated', text: '50 % · 1 min 5 s' })
  expect((await ask({}, '')).status).toBe(404)
  expect((await ask({}, cookieWith('gone'))).status).toBe(404)
})
