import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { FailureSchema, Reason } from '../gen/lrs/v1/failure_pb.js'
import { credential, nod, stage, usual } from '../test/support/gateway.ts'

const state = '/xapi/activities/state'
const big = Buffer.alloc(513 * 1024, 0x20)

const cases: {
  about: string
  method: string
  target: string
  headers?: Record<string, string>
  body?: Buffer | string
  status: number
  request: string
  path?: string
  reason?: Reason
}[] = [
  {
    about: 'no version',
    method: 'GET',
    target: '/xapi/statements?limit=1',
    headers: credential,
    status: 400,
    request: 'GET /xapi/statements',
    path: 'X-Experience-API-Version',
  },
  {
    about: 'unknown parameter',
    method: 'GET',
    target: '/xapi/agents?secret=1',
    status: 400,
    request: 'GET /xapi/agents',
    path: 'secret',
  },
  {
    about: 'missing parameter',
    method: 'PUT',
    target: state,
    headers: { ...usual, 'Content-Type': 'text/plain' },
    body: 'x',
    status: 400,
    request: `PUT ${state}`,
    path: 'activityId',
  },
  {
    about: 'wrong type',
    method: 'POST',
    target: '/xapi/statements',
    headers: { ...usual, 'Content-Type': 'text/plain' },
    body: 'x',
    status: 400,
    request: 'POST /xapi/statements',
    path: 'Content-Type',
  },
  { about: 'method', method: 'PATCH', target: '/xapi/statements', status: 405, request: 'PATCH /xapi/statements' },
  {
    about: 'route',
    method: 'GET',
    target: '/xapi/statement?token=t',
    status: 404,
    request: 'GET /xapi/statement',
    reason: Reason.NOT_FOUND,
  },
  {
    about: 'too large',
    method: 'PUT',
    target: `${state}?activityId=a&agent=b&stateId=c`,
    headers: { ...usual, 'Content-Type': 'text/plain' },
    body: big,
    status: 413,
    request: `PUT ${state}`,
    reason: Reason.TOO_LARGE,
  },
]

test.each(cases)(
  'core is told of what the gateway refuses: $about',
  async ({ method, target, headers = usual, body, status, request, path = '', reason = Reason.INVALID }) => {
    const { ask, core } = await stage()
    // the gateway is connected to core now
    await ask('GET', '/xapi/statements')
    expect((await ask(method, target, { headers, body })).status).toBe(status)
    const told = () => core.requests.filter(({ call }) => call.case === 'noteRefusal')
    await expect.poll(told).toHaveLength(1)
    expect(told()[0]).toMatchObject({
      authorization: usual.Authorization,
      call: { value: { request, status, failure: { reason, path, message: expect.stringMatching(/./) } } },
    })
  },
)

test.each([
  ['GET', '/xapi/agents?zebulonQ=1', {}],
  ['GET', '/xapi/agents?Agent=zebulonQ', {}],
  ['GET', '/xapi/statements?limit=zebulonQ', {}],
  ['GET', '/xapi/statements?format=%zebulonQ', {}],
  ['GET', '/xapi/statements', { 'X-Experience-API-Version': 'zebulonQ' }],
  ['POST', '/xapi/statements', { 'Content-Type': 'text/zebulonQ' }],
  ['POST', '/xapi/statements', { 'Content-Type': 'multipart/mixed; boundary=zebulonQ"' }],
  ['POST', '/xapi/statements?method=zebulonQ', {}],
  ['GET', '/xapi/zebulonQ@home.example', {}],
])('core gets the form of what the gateway refuses, without names: %s %s %o', async (method, target, headers) => {
  const { ask, core } = await stage()
  await ask('GET', '/xapi/statements')
  expect((await ask(method, target, { headers: { ...usual, ...headers } })).status).toBeGreaterThanOrEqual(400)
  const told = () => core.requests.flatMap(({ call }) => (call.case === 'noteRefusal' ? call.value : []))
  await expect.poll(told).toHaveLength(1)
  const { failure, form } = told()[0]!
  expect(form!.message.length).toBeGreaterThan(10)
  expect(`${form!.path} ${form!.message}`).not.toContain('zebulonQ')
  expect(form!.reason).toBe(failure!.reason)
})

test('core is not told of requests without a credential, nor of what it refused itself', async () => {
  const refuse = () =>
    ({ case: 'failure', value: create(FailureSchema, { reason: Reason.FORBIDDEN, message: 'no' }) }) as const
  const { ask, core } = await stage((request) => (request.call.case === 'getPerson' ? refuse() : nod(request)))
  expect((await ask('GET', '/xapi/agents?agent=a')).status).toBe(403)
  expect((await ask('GET', '/xapi/agents?wrong=a', { headers: {} })).status).toBe(401)
  expect((await ask('GET', '/xapi/nothing', { headers: { Authorization: 'Digest x' } })).status).toBe(404)
  expect((await ask('GET', '/xapi/agents?agent=a')).status).toBe(403)
  expect(core.requests.filter(({ call }) => call.case === 'noteRefusal')).toEqual([])
})
