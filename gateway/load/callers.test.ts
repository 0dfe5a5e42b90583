import { create } from '@bufbuild/protobuf'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { FailureSchema, Reason } from '../../gen/lrs/v1/failure_pb.js'
import { StoreStatementsRequestSchema } from '../../gen/lrs/v1/statements_pb.js'
import { serviceToken, startFakeCore } from '../../test/support/fake-core.ts'
import { createCallers } from './callers.ts'
import { createRelay } from '../core-connection/relay.ts'
import { result } from '../../test/support/gateway.ts'

const failure = (reason: Reason) => create(FailureSchema, { reason })
const limited = failure(Reason.RATE_LIMITED)
const wrong = failure(Reason.UNAUTHENTICATED)
const post = { authorization: 'Basic YTpi', limitKey: 'POST /xapi/statements ' }
const put = { ...post, limitKey: 'PUT /xapi/statements ' }
const stranger = { ...post, authorization: 'Basic eDp5' }

test('a limit holds until its window ends, for the same caller in the same limit, and what it refuses is counted', () => {
  let time = 0
  const held = createCallers(() => time).ofCore()
  held.keep(post, limited, 100)
  expect([post, put, stranger].map((key) => held.find(key)?.reason)).toEqual([limited.reason, undefined, undefined])
  time = 99
  expect(held.find(post)?.reason).toBe(limited.reason)
  time = 100
  expect(held.find(post)).toBeUndefined()
  expect(held.takeUnreported()).toEqual([{ key: post, failure: limited, times: 2 }])
  expect(held.takeUnreported()).toEqual([])
})

test('a wrong secret is wrong for whatever it asks, and nobody is told', () => {
  let time = 0
  const held = createCallers(() => time).ofCore()
  held.keep(post, wrong, 1000)
  expect([post, put, stranger].map((key) => held.find(key)?.reason)).toEqual([wrong.reason, wrong.reason, undefined])
  expect(held.takeUnreported()).toEqual([])
  time = 1000
  expect(held.find(post)).toBeUndefined()
})

test('the memory is bounded: by number, and by what it keeps; it is free when its refusals are over', () => {
  let time = 0
  const held = createCallers(() => time).ofCore()
  const key = (n: number) => ({ ...post, authorization: `Basic ${n}` })
  for (let n = 0; n < 1500; n++) held.keep(key(n), wrong, 1000)
  expect(held.find(key(999))?.reason).toBe(wrong.reason)
  expect(held.find(key(1000))).toBeUndefined()
  time = 1000
  held.takeUnreported()
  held.keep(key(1000), wrong, 2000)
  expect(held.find(key(1000))?.reason).toBe(wrong.reason)
  const long = { ...post, limitKey: `GET /xapi/activities/state ${'x'.repeat(2000)}` }
  held.keep(long, limited, 2000)
  expect(held.find(long)).toBeUndefined()
})

test('core is asked once, told of the rest, and asked again afterwards; other requests it gets as ever', async () => {
  const core = await startFakeCore(({ call }) =>
    result(call.case === 'storeStatements' ? { case: 'failure', value: limited } : { case: 'noteRefusal', value: {} }),
  )
  core.holdsMs = 400
  const relay = createRelay({ cores: [core.url], serviceToken, timeoutMs: 20_000, log: pino({ level: 'silent' }) })
  onTestFinished(() => {
    relay.close()
    core.close()
  })
  const store = ({ authorization, limitKey }: typeof post) =>
    relay.call('storeStatements', create(StoreStatementsRequestSchema, { json: Buffer.from('[]') }), {
      authorization,
      limitKey,
      name: '',
      address: '',
      version: '1.0.3',
      requestId: 'r',
    })
  const stored = () => core.requests.filter(({ call }) => call.case === 'storeStatements').length
  for (let count = 0; count < 5; count++) await expect(store(post)).rejects.toMatchObject({ status: 429 })
  expect(stored()).toBe(1)
  await expect(store(put)).rejects.toMatchObject({ status: 429 })
  expect(stored()).toBe(2)
  const notes = () =>
    core.requests.flatMap(({ authorization, call }) =>
      call.case === 'noteRefusal' ? [{ authorization, ...call.value }] : [],
    )
  await expect.poll(() => notes().reduce((sum, { times }) => sum + times, 0)).toBe(4)
  expect(notes()[0]).toMatchObject({
    authorization: post.authorization,
    request: 'POST /xapi/statements',
    status: 429,
    failure: { reason: Reason.RATE_LIMITED },
  })
  await expect.poll(async () => (await store(post).catch(() => {}), stored()), { interval: 50 }).toBe(3)
})

test('whom core has accepted has the name that it gave, all others have none; a 401 of core ends that', async () => {
  let accepts = true
  const core = await startFakeCore(({ call }) =>
    result(accepts ? ({ case: call.case, value: {} } as never) : { case: 'failure', value: wrong }),
  )
  const callers = createCallers()
  const log = pino({ level: 'silent' })
  const relay = createRelay({ cores: [core.url], serviceToken, timeoutMs: 20_000, log, callers })
  onTestFinished(() => {
    relay.close()
    core.close()
  })
  const store = () =>
    relay.call('storeStatements', create(StoreStatementsRequestSchema, { json: Buffer.from('[]') }), {
      ...post,
      name: '',
      address: '192.0.2.1',
      version: '1.0.3',
      requestId: 'r',
    })
  await store()
  expect(callers.nameOf(post.authorization)).not.toBe('')
  expect(callers.nameOf(stranger.authorization)).toBe('')
  // a refusal that holds for no time, as that of a token that has expired
  accepts = false
  await expect(store()).rejects.toMatchObject({ status: 401 })
  expect(callers.nameOf(post.authorization)).toBe('')
})

test('of those who were accepted it forgets who has been away longest', () => {
  const known = createCallers()
  for (let n = 0; n < 10_000; n++) known.accept(`Basic ${n}`, String(n))
  known.nameOf('Basic 0')
  known.accept('Basic new', 'new')
  expect(['Basic 0', 'Basic 1', 'Basic new'].map(known.nameOf)).toEqual(['0', '', 'new'])
})
