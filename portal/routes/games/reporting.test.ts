import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { pino } from 'pino'
import { connect } from '../../../clients/javascript/dist/games-lrs.js'
import { portalConfig, stubCore } from '../../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../../app.ts'
import { launchQuery } from '../../../shared/launch-context.ts'
import { withClient, withFetch } from '../../pages/games/code/reporting-code.ts'

let portal: RunningPortal
beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core: stubCore({}), log: pino({ level: 'silent' }) })
})
afterEach(() => void vi.unstubAllGlobals())
afterAll(() => portal.close())

test('everybody is told how a game reports, and what it refers to is there', async () => {
  const at = `http://127.0.0.1:${portal.port}`
  const response = await fetch(`${at}/reporting`)
  const body = await response.text()
  expect(response.status).toBe(200)
  expect(body).not.toMatch(/<script(?! type="module" src)| on\w+="/)
  for (const word of [
    'endpoint',
    'auth',
    'actor',
    'registration',
    'activity_id',
    'XAPI_ACTIVITY_ID',
    'launch.json',
    'xapi-launch-request',
    '/xapi/',
  ])
    expect(body).toContain(word)
  const links = Array.from(body.matchAll(/href="(\/[^"]+\.(?:js|css|svg))"/g), ([, path]) => path!)
  expect(links).toContain('/client/games-lrs.js')
  for (const path of links) expect([path, (await fetch(at + path)).status]).toEqual([path, 200])
})

const context = {
  endpoint: 'https://lrs.example/xapi/',
  auth: 'Bearer a.b.c',
  actor: { account: { homePage: 'https://x.example', name: 'ada' } },
  registration: '0b0a7f52-1b8e-4a51-9c5d-111111111111',
  activity_id: 'https://x.example/games/1',
}

test.each([
  ['with the client', withClient],
  ['with fetch', withFetch],
])('the code %s reports as the launch context says', async (_, code) => {
  vi.stubGlobal('location', new URL(`https://games.example/b/1/index.html?${launchQuery(context)}#/?session=s`))
  vi.stubGlobal('history', { replaceState: () => {} })
  const sent: { url: string; auth: string | null; statements: object[] }[] = []
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (!url.endsWith('statements')) return new Response(null, { status: init.method === 'GET' ? 404 : 204 })
    sent.push({
      url,
      auth: new Headers(init.headers).get('authorization'),
      statements: JSON.parse(String(init.body)) as object[],
    })
    return Response.json([])
  })
  const run = Object.getPrototypeOf(async () => {}).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<{ flush(): Promise<void>; close(): Promise<void> } | undefined>
  const lrs = await new run(
    'connect',
    `${code.replace(/^import .*$/m, '')}\n; return typeof lrs === 'undefined' ? undefined : lrs`,
  )(() => connect({ flushAfter: 20 }))
  await lrs?.close()
  expect(new Set(sent.map(({ url, auth }) => `${url} ${auth}`))).toEqual(
    new Set(['https://lrs.example/xapi/statements Bearer a.b.c']),
  )
  expect(sent.flatMap(({ statements }) => statements)).toContainEqual(
    expect.objectContaining({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      actor: context.actor,
      object: expect.objectContaining({ id: 'https://x.example/games/1/level-1' }),
      result: { completion: true, score: { scaled: 0.8 } },
      context: expect.objectContaining({ registration: context.registration }),
    }),
  )
})
