import { afterAll, beforeAll, expect, test } from 'vitest'
import { csrfToken } from '../../web/session-cookie.ts'
import { startPortalSystem, type PortalSystem } from '../../../test/support/portal.ts'
import type { Studio } from '../../../test/support/studios.ts'
import { statement, verb } from '../../../test/support/statements.ts'
import { bearer, xapiClient } from '../../../test/support/xapi.ts'

let system: PortalSystem
let fox: Studio
let path: string
let gameId: string
const hostile = '<script>alert(1)</script>'
beforeAll(async () => {
  system = await startPortalSystem()
  fox = await system.studio('Fox')
  ;({ gameId } = await fox.on().games.createGame({ name: 'Chess' }))
  path = `${system.url}/games/${gameId}/deletions`
})
afterAll(() => system.close())

const get = async (query = '') => {
  const response = await fetch(path + query, { headers: { cookie: `session=${fox.session}` } })
  return { status: response.status, body: await response.text() }
}
const post = (form: Record<string, string>) =>
  fetch(path, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: `session=${fox.session}`, origin: system.url },
    body: new URLSearchParams({ csrf: csrfToken(fox.session), ...form }),
  })
/** The hidden fields of the form that asks. */
const fieldsIn = (body: string): Record<string, string> =>
  Object.fromEntries(
    [...body.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(([, name, value]) => [name!, value!]),
  )

test('an owner counts statements of the sandbox, is asked, deletes them, and has the receipt and the ids', async () => {
  const { launch } = await fox.on().launches.openSandbox({ gameId, ownMachine: true })
  const xapi = xapiClient(system.urls[0]!, bearer(launch!.token))
  const actor = launch!.actor
  const sent = [1, 2].map(() => statement({ actor: JSON.parse(String(actor)), verb: verb('exploded') }))
  expect((await xapi.post(sent)).status).toBe(200)
  expect((await get()).body).toContain('Nothing was deleted yet.')
  expect((await get()).body).toContain('Which statements')
  expect(await (await post({ ids: 'x' })).text()).toContain('must be a UUID')
  expect((await get(`?verb=${encodeURIComponent(verb('exploded').id)}`)).body).toContain('Nothing is found')
  const address = { from: 'sandbox', verb: verb('exploded').id, since: '2000-01-01', until: '2999-12-31' }
  const { body } = await get(`?${new URLSearchParams(address).toString()}`)
  expect(body).toContain('Delete 2 statements?')
  expect(body).toContain(verb('exploded').id)
  const { csrf: _, ...fields } = fieldsIn(body)
  expect(fields).toMatchObject(address)
  // a reason is needed
  const refused = await post({ ...fields, reason: ' ' })
  expect(await refused.text()).toContain('must say why')
  // the number is another one
  expect(await (await post({ from: 'sandbox', ids: sent.map(({ id }) => id).join(' ') })).text()).toContain(
    'Delete 2 statements?',
  )
  const other = await post({ ...fields, statements: '3', reason: 'a test' })
  expect(await other.text()).toContain('These are 2 statements by now, not 3')
  expect((await post({ ...fields, reason: hostile })).headers.get('location')).toBe(
    `/games/${gameId}/deletions?done=begun`,
  )
  let shown = ''
  await expect.poll(async () => (shown = (await get()).body), { timeout: 20_000 }).toContain('All of them')
  expect(shown).not.toContain(hostile)
  expect(shown).toContain('&lt;script&gt;')
  expect(shown).toContain(fox.email)
  expect(shown).toContain('of the sandbox')
  const [, deletionId] = /deletions\/([0-9a-f-]{36})\/ids/.exec(shown)!
  const ids = await get(`/${deletionId}/ids`)
  expect(ids.body.trim().split('\n').toSorted()).toEqual(sent.map(({ id }) => id).toSorted())
  expect((await get(`/${crypto.randomUUID()}/ids`)).status).toBe(404)
})

test('who is not an owner sees no page and no link', async () => {
  await system.database.sql("update member set role = 'developer' where account = $1", [fox.account])
  try {
    expect((await get()).status).toBe(403)
    expect((await post({ reason: 'a test', statements: '1' })).status).toBe(403)
    const page = await fetch(path.replace('deletions', 'statements'), { headers: { cookie: `session=${fox.session}` } })
    expect(await page.text()).not.toContain('/deletions')
  } finally {
    await system.database.sql("update member set role = 'owner' where account = $1", [fox.account])
  }
})
