import { expect, onTestFinished, test } from 'vitest'
import { ended, given, launch, startStubPlay, studioCookie } from '../../../test/support/stub-play.ts'

const call = startStubPlay()
const secret = launch.sessionSecret
const policyOf = ({ headers }: { headers: Headers }) => headers.get('content-security-policy')!

test('only /embed may be in a frame, of the sites that the studio lists; failures of other pages may not', async () => {
  expect(policyOf(await call('/embed/bridges-rivers'))).toContain("frame-ancestors 'none'")
  given.parents = ['https://school.example', 'http://localhost:3000']
  onTestFinished(() => void (given.parents = []))
  for (const [path, form] of [
    ['', undefined],
    ['?invitation=code', undefined],
    ['', { learner_name: 'Ada' }],
    ['', { learner_name: '' }],
    ['/game', { session: secret }],
    ['/game', { session: 'gone' }],
    ['/end', { session: secret }],
  ] as const) {
    const answer = await call(`/embed/bridges-rivers${path}`, { method: form ? 'POST' : 'GET', form })
    expect(policyOf(answer), path).toMatch(/frame-ancestors https:\/\/school\.example http:\/\/localhost:3000$/)
    // a frame of another site has no cookie of ours, and what is in it is not kept
    expect([answer.headers.get('set-cookie'), answer.headers.get('cache-control')]).toEqual([null, 'no-store'])
    expect(answer.body).not.toContain('<img src=x')
  }
  ended.splice(0)
  for (const path of ['/', '/g/bridges-rivers', '/play/bridges-rivers', '/embed/none', '/embed/a;b', '/embed'])
    expect(policyOf(await call(path)), path).toContain("frame-ancestors 'none'")
})

test('a page in a frame of others knows no account', async () => {
  const { body } = await call('/embed/bridges-rivers', { cookie: studioCookie })
  for (const word of ['Sign out', '/games', '<header', 'href="/docs"']) expect(body).not.toContain(word)
})

test('an isolated game is in pages that isolated sites take', async () => {
  expect((await call('/embed/bridges-rivers')).headers.get('cross-origin-resource-policy')).toBeNull()
  given.isolated = true
  onTestFinished(() => void (given.isolated = false))
  const { headers } = await call('/embed/bridges-rivers')
  expect([headers.get('cross-origin-resource-policy'), headers.get('cross-origin-embedder-policy')]).toEqual([
    'cross-origin',
    'require-corp',
  ])
})
