import { afterAll, beforeAll, expect, test } from 'vitest'
import { done, failed, run } from './support/admin.ts'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import type { Studio } from './support/studios.ts'
import { tokens } from './support/system.ts'
import { endAll } from '../start/fixtures/launch.ts'

let system: PortalSystem
let owl: Studio
let fox: Studio
let foxId: string
beforeAll(async () => {
  system = await startPortalSystem({ gateways: 1 })
  owl = await system.studio('Wise Owl')
  fox = await system.studio('Blue Fox')
  await system.publish(fox, 'Star Trail')
  await system.admin.operator.setAdmin({ email: owl.email, admin: true })
  foxId = (await fox.on().accounts.getAccount({})).studio!.studioId
})
afterAll(async () => {
  endAll()
  await system.close()
})

const visit = (who: Studio, path: string, init: RequestInit = {}) =>
  fetch(`${system.url}${path}`, {
    redirect: 'manual',
    ...init,
    headers: { cookie: `session=${who.session}`, origin: system.url },
  })
/** Sends the form of a page as a browser without scripts does. */
async function send(who: Studio, page: string, action: string, fields: Record<string, string> = {}) {
  const html = await (await visit(who, page)).text()
  const csrf = /name="csrf" value="([^"]+)"/.exec(html)![1]!
  expect(html).toContain(`action="${action}"`)
  const answer = await visit(who, action, { method: 'POST', body: new URLSearchParams({ csrf, ...fields }) })
  return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() }
}
const admin = (...args: string[]) =>
  run(args, {
    env: { LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`, LRS_SERVICE_TOKEN: tokens.admin },
  })

test('the pages are for admins: others are told so, and have no link to them', async () => {
  for (const path of [
    '',
    '/studios',
    `/studios/${foxId}`,
    '/accounts',
    '/storage',
    '/jobs',
    '/mail',
    '/forwards',
    '/activity',
  ]) {
    expect([path, (await visit(fox, `/operator${path}`)).status]).toEqual([path, 403])
    expect([path, (await visit(owl, `/operator${path}`)).status]).toEqual([path, 200])
  }
  expect(await (await visit(fox, '/games')).text()).not.toContain('/operator')
  expect(await (await visit(owl, '/games')).text()).toContain('href="/operator"')
})

test('forwards of all games are found by game, studio and host, those that fail first', async () => {
  const { games, forwards } = fox.on()
  const { gameId } = (await games.listGames({})).games[0]!
  for (const [name, endpoint] of [
    ['One', 'https://one.example/xapi'],
    ['Two', 'https://two.example/xapi'],
  ] as const) {
    const { forward } = await forwards.addForward({ gameId, settings: { name, endpoint, version: '1.0.3' } })
    await system.database.sql(
      `update forward set failures = $2, problem = 'no answer', attempts = attempts + 1, leased = null,
        next_attempt = now() + interval '1 day' where uuid = $1`,
      [forward!.forwardId, name === 'Two' ? 3 : 0],
    )
  }
  const { operator } = owl.on()
  const hosts = async (find: string) =>
    (await operator.findForwards({ find })).forwards.map(({ forward }) => forward!.settings!.endpoint.slice(8, 11))
  expect(await hosts('')).toEqual(['two', 'one'])
  expect(await hosts('one.ex')).toEqual(['one'])
  expect(await hosts('star tr')).toHaveLength(2)
  expect(await hosts('blue f')).toHaveLength(2)
  expect(await hosts('%')).toEqual([])
  await expect(fox.on().operator.findForwards({})).rejects.toThrow(/admins/)
  const text = await (await visit(owl, '/operator/forwards')).text()
  expect(text).toContain('no answer')
  expect(text).toContain('Star Trail')
  expect(text).toContain(`/operator/studios/${foxId}`)
})

test('a studio is found, suspended after a question, and brought back, without scripts', async () => {
  const page = `/operator/studios/${foxId}`
  expect(await (await visit(owl, '/operator/studios?find=blue%20f')).text()).toContain(`href="${page}"`)
  expect(await (await visit(owl, '/operator/studios?find=100%25')).text()).toContain('No studio is found')
  const question = await (await visit(owl, `${page}/suspend`)).text()
  expect(question).toContain('Lifting the suspension brings everything back')
  expect(await send(owl, `${page}/suspend`, `${page}/suspend`, { note: 'x'.repeat(1001) })).toMatchObject({
    status: 400,
  })
  expect(await send(owl, `${page}/suspend`, `${page}/suspend`, { note: 'Whose logo <is> it?' })).toMatchObject({
    status: 303,
    location: `${page}?done=suspended`,
  })
  expect((await visit(fox, '/games')).headers.get('location')).toBe('/account')
  expect(await (await visit(fox, '/account')).text()).toContain('Whose logo &lt;is&gt; it?')
  expect(await (await fetch(system.url)).text()).not.toContain('Star Trail')
  expect(await send(owl, page, `${page}/resume`)).toMatchObject({ location: `${page}?done=resumed` })
  expect((await visit(fox, '/games')).status).toBe(200)
  expect(await (await fetch(system.url)).text()).toContain('Star Trail')
})

test('quotas and trust of a studio, and the rights and sessions of an account are changed', async () => {
  const page = `/operator/studios/${foxId}`
  expect((await send(owl, page, `${page}/quotas`, { name: 'storage', limit: '40 gold' })).text).toContain(
    'must be a number, or bytes such as 40 GB',
  )
  expect((await send(owl, page, `${page}/quotas`, { name: 'storage', limit: '40 GB' })).status).toBe(303)
  expect((await send(owl, page, `${page}/trusted`, { trusted: 'yes' })).status).toBe(303)
  const { studio } = await owl.on().operator.getStudio({ studio: fox.slug })
  expect(studio).toMatchObject({ trusted: true, games: 1, members: [{ email: fox.email }] })
  const { usage } = await system.admin.quotas.getStudioUsage({ studio: fox.slug })
  expect(usage.find(({ anchor }) => anchor === 'storage')!.limit).toBe(40n * 1024n ** 3n)
  const account = `/operator/accounts/${studio!.members[0]!.accountId}`
  expect((await send(owl, account, `${account}/reviewer`, { reviewer: 'yes' })).status).toBe(303)
  expect((await fox.on().accounts.getAccount({})).reviewer).toBe(true)
  expect((await send(owl, account, `${account}/may-own`, { studios: '3' })).status).toBe(303)
  expect((await fox.on().accounts.getAccount({})).mayOwn).toBe(3)
  expect((await send(owl, `${account}/end-sessions`, `${account}/end-sessions`)).status).toBe(303)
  expect((await visit(fox, '/games')).headers.get('location')).toContain('/sign-in')
  // nobody suspends the account that it works with
  const own = (await owl.on().accounts.getAccount({})).accountId
  expect(await (await visit(owl, `/operator/accounts/${own}`)).text()).not.toContain('/suspend"')
})

test('what an admin did is in the log, under their name', async () => {
  const text = await (await visit(owl, '/operator/activity?action=studio.suspend')).text()
  expect(text).toContain(`<b>${owl.email}</b>`)
  expect(text).toContain('suspended: true')
})

test('the command line does the same', async () => {
  expect((await admin('studios', 'show', fox.slug)).out).toMatch(/^members +\S+ \(owner\)$/m)
  expect(await admin('studios', 'suspend', fox.slug)).toEqual(failed(/Add --yes to confirm\.$/, 2))
  expect(await admin('studios', 'suspend', fox.slug, '--note', 'Why', '--yes')).toEqual(
    done(expect.stringContaining('"studios resume" brings all back')),
  )
  expect(JSON.parse((await admin('studios', 'show', fox.slug, '--json')).out).studio).toMatchObject({
    suspended: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+Z$/),
    suspendedNote: 'Why',
    members: [{ role: 'MEMBER_ROLE_OWNER' }],
  })
  expect(await admin('studios', 'resume', fox.slug)).toEqual(done(`The suspension of ${fox.slug} is lifted.`))
  expect(await admin('accounts', 'suspend', fox.email, '--yes')).toEqual(done(`Suspended: ${fox.email}.`))
  expect(await admin('accounts', 'resume', fox.email)).toEqual(done(expect.stringContaining('is lifted')))
  expect(await admin('accounts', 'admin', fox.email)).toEqual(done(expect.stringContaining('pages of operators now')))
  expect(await admin('accounts', 'admin', fox.email, '--off', '--json')).toEqual(
    done(JSON.stringify({ email: fox.email, admin: false }, null, 2)),
  )
  expect(await admin('accounts', 'admin', 'nobody@example.org')).toEqual(failed(/^There is no such account\.$/))
  expect(await admin('accounts', 'end-sessions', 'nobody@example.org')).toEqual(failed(/^There is no account/))
  expect((await admin('storage')).out).toMatch(/^builds +\d.* in 1\n[^]*\nStar Trail +Blue Fox/m)
  expect((await admin('jobs')).out).toMatch(/^storage +30 s +(done|running) /m)
})
