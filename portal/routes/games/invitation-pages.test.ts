import { expect, test } from 'vitest'
import { session, summary } from '../../../test/support/stub-core.ts'
import { hostile, sessionId, startStubPlay, studioCookie } from '../../../test/support/stub-play.ts'
import { csrfToken } from '../../web/session-cookie.ts'

const call = startStubPlay()
test('the link of an invitation is shown where it is made, and once', async () => {
  const path = `/games/${summary().gameId}/invitations`
  const made = await call(path, {
    method: 'POST',
    cookie: studioCookie,
    form: { csrf: csrfToken(session), learner_name: hostile, seen: sessionId },
  })
  expect(made.body).toContain('/play/bridges-rivers?invitation=the-code')
  expect(made.body).toContain(`name="seen" value="${sessionId}"`)
  expect(made.body).not.toContain('<img src=x')
  expect((await call(path, { cookie: studioCookie })).body).not.toContain('the-code')
  // what was sent before there was this invitation
  const again = await call(path, {
    method: 'POST',
    cookie: studioCookie,
    form: { csrf: csrfToken(session), learner_name: hostile, seen: '' },
  })
  expect(again.status).toBe(409)
  expect(again.body).not.toContain('the-code')
})
