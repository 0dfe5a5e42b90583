import { expect, test } from 'vitest'
import { pino } from 'pino'
import { portalConfig, session, stubCore } from '../../test/support/stub-core.ts'
import { createPortal } from '../app.ts'

const guestPaths = ['/', '/members/join?code=abc', '/limits', '/sign-in', '/nowhere']

async function pages(only: boolean): Promise<string[]> {
  const portal = await createPortal(portalConfig(), {
    core: stubCore({
      games: { listPublishedGames: () => ({ games: [] }) },
      members: { getMemberInvitation: () => ({ studioName: 'Blue Fox', expires: 1_900_000_000n }) },
      providers: { listSignInProviders: () => ({ providers: [{ name: 'school', label: 'School' }], only }) },
    }),
    log: pino({ level: 'silent' }),
  })
  try {
    const texts = guestPaths.map(async (path) => (await fetch(`http://127.0.0.1:${portal.port}${path}`)).text())
    return await Promise.all(texts)
  } finally {
    await portal.close()
  }
}

test('where people sign in with a provider only, no page offers to sign up', async () => {
  for (const [at, text] of (await pages(true)).entries()) {
    expect(text, guestPaths[at]).not.toContain('/sign-up')
    expect(text, guestPaths[at]).toContain('href="/sign-in')
  }
  for (const [at, text] of (await pages(false)).entries()) expect(text, guestPaths[at]).toContain('href="/sign-up')
})

test('an address without a page says so with the header of who visits', async () => {
  const portal = await createPortal(portalConfig(), { core: stubCore({}), log: pino({ level: 'silent' }) })
  const url = `http://127.0.0.1:${portal.port}/nowhere`
  const answer = await fetch(url, { headers: { cookie: `session=${session}` } })
  expect(answer.status).toBe(404)
  expect(await answer.text()).toContain('Sign out')
  expect((await fetch(url, { method: 'POST' })).status).toBe(404)
  await portal.close()
})

test('pages of accounts do not ask how to sign in', async () => {
  let asked = 0
  const portal = await createPortal(portalConfig(), {
    core: stubCore({
      games: { listGames: () => ({ games: [] }) },
      providers: { listSignInProviders: () => (asked++, { providers: [] }) },
    }),
    log: pino({ level: 'silent' }),
  })
  const answer = await fetch(`http://127.0.0.1:${portal.port}/games`, { headers: { cookie: `session=${session}` } })
  expect([answer.status, asked]).toEqual([200, 0])
  await portal.close()
})
