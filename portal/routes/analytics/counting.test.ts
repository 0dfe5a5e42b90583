import { afterAll, beforeAll, expect, test } from 'vitest'
import { Code } from '@connectrpc/connect'
import { pino } from 'pino'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { MemberRole } from '../../../gen/lrs/v1/members_pb.js'
import { failure, game, portalConfig, session, stubCore, studio, summary } from '../../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../../app.ts'
import { csrfToken } from '../../web/session-cookie.ts'

const path = `/games/${summary().gameId}/counting`
const set: unknown[] = []
let role = MemberRole.OWNER
const core = stubCore({
  accounts: { getAccount: () => ({ studio, role }) },
  games: { getGame: () => ({ game: game() }) },
  counting: {
    getCounting: () => ({ zone: 'Europe/Berlin', cut: 'language', start: BigInt(Date.UTC(2026, 8, 1) / 1000) }),
    setZone: ({ zone }) => {
      if (zone === 'Berlin')
        throw failure(Reason.INVALID, 'zone: must be a time zone', { path: 'zone', code: Code.InvalidArgument })
      set.push(zone)
      return {}
    },
    setCut: ({ cut }) => {
      if (cut === 'verb')
        throw failure(Reason.INVALID, 'cut: must be language', { path: 'cut', code: Code.InvalidArgument })
      set.push(cut)
      return {}
    },
    setStart: ({ start }) => {
      set.push(start)
      return {}
    },
  },
})
let portal: RunningPortal
beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())

async function call(at: string, form?: Record<string, string>) {
  const origin = `http://127.0.0.1:${portal.port}`
  const response = await fetch(`${origin}${path}${at}`, {
    method: form ? 'POST' : 'GET',
    headers: { cookie: `session=${session}`, origin },
    redirect: 'manual',
    body: form && new URLSearchParams({ csrf: csrfToken(session), ...form }),
  })
  return { status: response.status, location: response.headers.get('location'), body: await response.text() }
}

test('an owner sees the zone of the studio and the start of the game, and sets each alone', async () => {
  const { body } = await call('')
  expect(body).toContain('name="zone" type="text" value="Europe/Berlin"')
  expect(body).toContain('<option value="Pacific/Auckland">')
  expect(body).toContain('name="start" type="date" value="2026-09-01"')
  expect(await call('/zone', { zone: ' Asia/Tokyo ' })).toMatchObject({ status: 303, location: `${path}?done=zone` })
  expect(await call('/start', { start: '2026-10-05' })).toMatchObject({ status: 303, location: `${path}?done=start` })
  await call('/start', { start: '' })
  expect(body).toContain('name="cut" type="text" value="language"')
  expect(await call('/cut', { cut: ' platform ' })).toMatchObject({ status: 303, location: `${path}?done=cut` })
  expect(set.splice(0)).toEqual(['Asia/Tokyo', BigInt(Date.UTC(2026, 9, 5) / 1000), 0n, 'platform'])
})

test.each([
  ['/zone', { zone: 'Berlin' }, 'Time zone must be a time zone', 'value="Berlin"'],
  ['/cut', { cut: 'verb' }, 'Filter by must be language', 'value="verb"'],
  ['/start', { start: '1999-12-31' }, 'First day must be a day from 2000-01-01', 'value="1999-12-31"'],
  ['/start', { start: '2026-02-30' }, 'First day must be a day from 2000-01-01', 'value="2026-02-30"'],
  ['/start', { start: '9999-01-01' }, 'First day must be a day from 2000-01-01', 'value="9999-01-01"'],
])('%s refuses %j, in its form, with what was typed', async (at, form, said, typed) => {
  const { status, body } = await call(at, form)
  expect(status).toBe(400)
  for (const text of [said, typed]) expect(body).toContain(text)
  expect(body.match(/role="alert"/g)).toHaveLength(1)
  expect(set).toEqual([])
})

test('developers see it nowhere and set nothing', async () => {
  role = MemberRole.DEVELOPER
  expect((await call('')).status).toBe(403)
  expect((await call('/zone', { zone: 'UTC' })).status).toBe(403)
  expect(set).toEqual([])
})
