import { afterAll, beforeAll, expect, test } from 'vitest'
import { Channel, UploadKind } from '../../../gen/lrs/v1/uploads_pb.js'
import { startPortalSystem, type PortalSystem } from '../../../test/support/portal.ts'
import { statement } from '../../../test/support/statements.ts'
import type { Studio } from '../../../test/support/studios.ts'
import { xapiClient } from '../../../test/support/xapi.ts'
import { rawZip } from '../../../test/support/zip.ts'
import { csrfToken } from '../../web/session-cookie.ts'

let system: PortalSystem
let studio: Studio
let gameId: string
let slug: string
beforeAll(async () => {
  system = await startPortalSystem()
  studio = await system.studio('Blue Fox')
  ;({ gameId, slug } = await system.publish(studio, 'Chess'))
})
afterAll(() => system.close())

/** As a member of a studio. */
const asked = (path: string, form?: Record<string, string>, { session } = studio) =>
  fetch(`${system.url}${path}`, {
    method: form ? 'POST' : 'GET',
    redirect: 'manual',
    headers: { cookie: `session=${session}`, origin: system.url },
    ...(form && { body: new URLSearchParams({ csrf: csrfToken(session), ...form }) }),
  })
/** As anybody. */
const visited = (path: string, form?: Record<string, string>, cookie = '') =>
  fetch(`${system.url}${path}`, {
    method: form ? 'POST' : 'GET',
    redirect: 'manual',
    headers: { origin: system.url, ...(cookie !== '' && { cookie }) },
    ...(form && { body: new URLSearchParams(form) }),
  })
const textOf = async (answer: Response) => (await answer.text()).replaceAll(/\s+/g, ' ')
const upload = (mark: string) =>
  system.upload(
    studio,
    UploadKind.BROWSER_BUILD,
    'chess.zip',
    rawZip([{ name: 'index.html', content: mark }]),
    gameId,
    { channel: Channel.BETA },
  )
const linked = async () => String((await studio.on().games.getGame({ gameId })).game!.betaLinked)
async function make(): Promise<string> {
  const made = await asked(`/games/${gameId}/beta-link`, { on: 'yes', seen: await linked() })
  expect(made.headers.get('cache-control')).toBe('no-store, no-transform')
  return /\/beta\/([\w-]{43})</.exec(await textOf(made))![1]!
}

test('a studio makes the link on a page of its game, sees it once, and ends it', async () => {
  const path = `/games/${gameId}/beta-link`
  const isOffered = async () => (await textOf(await asked(`/games/${gameId}/builds`))).includes(`href="${path}"`)
  // there is no beta yet
  expect(await isOffered()).toBe(false)
  expect(await textOf(await asked(path))).toMatch(/There is no link now\..*Make a link/)
  const code = await make()
  expect(await isOffered()).toBe(true)
  const page = await textOf(await asked(path))
  expect(page).toMatch(/A link was made on .*Make a new link.*End the link/)
  expect(page).not.toContain(code)
  // a page that is loaded again makes no other one
  const again = await asked(path, { on: 'yes', seen: '0' })
  expect([again.status, await textOf(again)]).toEqual([409, expect.stringMatching(/has changed since/)])
  expect((await visited(`/beta/${code}`)).status).toBe(200)
  const ended = await asked(path, { on: '', seen: await linked() })
  expect(ended.headers.get('location')).toBe(`${path}?done=ended`)
  expect((await visited(`/beta/${code}`)).status).toBe(404)
})

test('a studio whose game nobody has approved is told why it gets no link', async () => {
  const draft = await system.draft(studio, 'Draft')
  expect(await textOf(await asked(`/games/${draft}/builds`))).not.toContain('beta-link')
  const refused = await asked(`/games/${draft}/beta-link`, { on: 'yes', seen: '0' })
  expect([refused.status, await textOf(refused)]).toEqual([409, expect.stringMatching(/needs a first approval/)])
})

test('who opens the link reads that it is a test, plays under a name and leaves; nobody is remembered', async () => {
  const code = await make()
  const at = `/beta/${code}`
  expect(await textOf(await visited(at))).toMatch(/There is no test version now.*\/g\/chess/)
  const none = await visited(at, { learner_name: 'Eve' })
  expect([none.status, await textOf(none)]).toEqual([404, expect.stringMatching(/no test version now/)])
  const buildId = await upload('one')
  const page = await visited(at)
  expect(page.headers.get('set-cookie')).toBeNull()
  expect(await textOf(page)).toMatch(/This is a test version. Nobody has reviewed it.*test data.*Play the test/)
  const unnamed = await visited(at, { learner_name: '' })
  expect([unnamed.status, await textOf(unnamed)]).toEqual([400, expect.stringMatching(/This name does not work/)])

  const started = await visited(at, { learner_name: 'Eve <b>' })
  expect([started.status, started.headers.get('location')]).toEqual([303, `${at}/game`])
  const set = started.headers.getSetCookie()
  expect(set).toEqual([
    expect.stringMatching(`^beta-[0-9a-f]{16}=[\\w-]+; Max-Age=7200; Path=/; .*HttpOnly; SameSite=Lax$`),
  ])
  const [cookie] = set[0]!.split(';') as [string]
  const game = await visited(`${at}/game`, undefined, cookie)
  expect(game.headers.get('content-security-policy')).toContain(`frame-src ${system.gamesUrl}`)
  expect(game.headers.get('cache-control')).toBe('no-store')
  const shown = await textOf(game)
  expect(shown).toContain(`/b/${buildId}/index.html`)
  expect(shown).toContain('Eve &lt;b&gt;')
  expect(shown).toContain('Chess (test version)')
  expect(shown).not.toContain('Your data')
  // the link alone leads to no session of others
  expect((await visited(`${at}/game`)).headers.get('location')).toBe(at)
  expect((await visited(`${at}/launch.json`)).status).toBe(404)

  const launch = (await (await visited(`${at}/launch.json`, undefined, cookie)).json()) as { auth: string }
  const xapi = xapiClient(system.urls[0]!, launch.auth)
  expect((await xapi.post(statement())).status).toBe(200)
  const left = await visited(`${at}/end`, {}, cookie)
  expect(left.headers.get('location')).toBe(`${at}?done=left`)
  expect(left.headers.get('set-cookie')).toMatch(/^beta-[0-9a-f]{16}=; Path=.*Expires=Thu, 01 Jan 1970/)
  expect((await xapi.post(statement())).status).toBe(401)
  expect((await visited(`${at}/game`, undefined, cookie)).headers.get('location')).toBe(at)
})

test('a session by the link ends with its build, and a form of another page starts none', async () => {
  const code = await make()
  const at = `/beta/${code}`
  await upload('two')
  const [cookie] = (await visited(at, { learner_name: 'Eve' })).headers.getSetCookie()[0]!.split(';') as [string]
  expect((await visited(`${at}/game`, undefined, cookie)).status).toBe(200)
  await upload('three')
  expect((await visited(`${at}/game`, undefined, cookie)).headers.get('location')).toBe(at)
  const forged = await fetch(system.url + at, {
    method: 'POST',
    headers: { origin: 'https://evil.example' },
    body: new URLSearchParams({ learner_name: 'Eve' }),
  })
  expect(forged.status).toBe(403)
  expect((await visited('/beta/nothing')).status).toBe(404)
  // a session of the beta is none of the public game
  const secret = cookie.split('=')[1]
  expect((await visited(`/play/${slug}/game`, undefined, `learner-${slug}=1...${secret}.0.0`)).status).toBe(303)
})

test('another studio gets no link to the game, and an analyst none to the own', async () => {
  const stranger = await system.studio('Owl')
  const path = `/games/${gameId}/beta-link`
  expect((await asked(path, undefined, stranger)).status).toBe(404)
  expect((await asked(path, { on: 'yes', seen: await linked() }, stranger)).status).toBe(404)
  await system.database.sql(`update member set role = 'analyst' where studio = $1`, [studio.id])
  expect((await asked(path)).status).toBe(403)
  expect((await asked(path, { on: '', seen: '0' })).status).toBe(403)
})
