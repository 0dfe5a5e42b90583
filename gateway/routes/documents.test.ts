import { describe, expect, test } from 'vitest'
import { asJson, credential, learner, result, stage, usual } from '../../test/support/gateway.ts'

const agent = '{"mbox":"mailto:ada@example.com"}'
const activityId = 'http://a.example/1'
const activity = `activityId=${encodeURIComponent(activityId)}`
const updated = 1_795_176_000_000_001n

const kinds = [
  {
    path: `/xapi/activities/state?${activity}&agent=${learner}`,
    id: 'stateId',
    kind: { case: 'state', value: { activityId, agent, registration: '' } },
  },
  {
    path: `/xapi/activities/profile?${activity}`,
    id: 'profileId',
    kind: { case: 'activityProfile', value: { activityId } },
  },
  { path: `/xapi/agents/profile?agent=${learner}`, id: 'profileId', kind: { case: 'agentProfile', value: { agent } } },
] as const

describe.each(kinds)('$path', ({ path, id, kind }) => {
  const one = `${path}&${id}=my%2Fdoc`
  const document = { contentType: 'text/html; charset=ÿ', etag: '"abc"', updated, size: 5 }

  test.each([
    ['PUT', false],
    ['POST', true],
  ])('%s', async (method, merge) => {
    const { ask, core } = await stage()
    const body = Buffer.from([0, 255, 10, 13, 0])
    const headers = { ...usual, 'Content-Type': 'image/x; a="b"', 'If-Match': '"1", "2"', 'If-None-Match': '*' }
    const heard = await ask(method, one, { headers, body })
    expect(heard.status).toBe(204)
    expect(heard.text).toBe('')
    const { call } = core.requests[0]!
    const precondition = { ifMatch: '"1", "2"', ifNoneMatch: '*' }
    expect(call).toMatchObject({
      case: 'putDocument',
      value: { scope: { kind }, id: 'my/doc', contentType: 'image/x; a="b"', precondition, merge },
    })
    expect(Buffer.from((call.value as { content: Uint8Array }).content)).toEqual(body)
  })

  test('PUT of nothing, without a type', async () => {
    const { ask, core } = await stage()
    expect((await ask('PUT', one)).status).toBe(204)
    const { value } = core.requests[0]!.call
    expect(value).toMatchObject({ contentType: 'application/octet-stream', content: new Uint8Array() })
    expect(value).not.toHaveProperty('precondition')
  })

  test('GET gives every byte back, harmless to a browser', async () => {
    const content = Buffer.from('<s>\0ÿ', 'latin1')
    const { ask, core } = await stage(() => result({ case: 'getDocument', value: { ...document, content } }))
    const heard = await ask('GET', one)
    expect(heard.status).toBe(200)
    expect(heard.body).toEqual(content)
    expect(heard.headers).toMatchObject({
      'content-type': 'text/html; charset=ÿ',
      etag: '"abc"',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-disposition': 'attachment',
      'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT',
    })
    expect(core.requests[0]!.call).toMatchObject({
      case: 'getDocument',
      value: { scope: { kind }, id: 'my/doc', withoutContent: false },
    })
  })

  test('HEAD leaves the content in core', async () => {
    const { ask, core } = await stage(() => result({ case: 'getDocument', value: document }))
    const heard = await ask('HEAD', one, { headers: { ...credential, 'X-Experience-API-Version': '2.0.0' } })
    expect(heard.headers).toMatchObject({
      'content-length': '5',
      etag: '"abc"',
      'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT',
    })
    expect(core.requests[0]!.call.value).toMatchObject({ withoutContent: true })
  })

  test('the list of ids', async () => {
    const ids = ['a', '"\\', '🦊', '\0']
    const { ask, core } = await stage(() => result({ case: 'listDocuments', value: { ids, updated } }))
    const heard = await ask('GET', `${path}&since=2026-01-01T00%3A00%3A00Z`)
    expect(JSON.parse(heard.text)).toEqual(ids)
    expect(heard.headers['content-type']).toBe('application/json')
    expect(core.requests[0]!.call).toMatchObject({
      case: 'listDocuments',
      value: { scope: { kind }, since: '2026-01-01T00:00:00Z' },
    })
  })

  test('DELETE of one and of all', async () => {
    const { ask, core } = await stage()
    expect((await ask('DELETE', one, { headers: { ...usual, 'If-Match': '"1"' } })).status).toBe(204)
    expect((await ask('DELETE', path)).status).toBe(204)
    expect((await ask('DELETE', path, { headers: { ...usual, 'If-Match': '"1"' } })).status).toBe(400)
    expect(core.requests.map(({ call }) => call)).toMatchObject([
      {
        case: 'deleteDocument',
        value: { scope: { kind }, id: 'my/doc', precondition: { ifMatch: '"1"', ifNoneMatch: '' } },
      },
      { case: 'deleteDocuments', value: { scope: { kind } } },
    ])
  })
})

test('a registration goes along', async () => {
  const { ask, core } = await stage()
  await ask('GET', `${kinds[0].path}&registration=r`)
  expect(core.requests[0]!.call.value).toMatchObject({ scope: { kind: { value: { registration: 'r' } } } })
})

test.each(['a/b\tc', 'a/\x80', 'a/ÿ', `a/${'b'.repeat(255)}`])(
  'a Content-Type that could not be sent back is refused (%#)',
  async (type) => {
    const { ask } = await stage()
    const heard = await ask('PUT', `${kinds[1].path}&profileId=p`, {
      headers: { ...asJson, 'Content-Type': type },
      body: 'x',
    })
    expect(heard.status).toBe(400)
    expect(JSON.parse(heard.text).path).toBe('Content-Type')
  },
)

test('Person and Activity are what core says', async () => {
  const json = Buffer.from('{"objectType":"Person","n":1.0}')
  const { ask, core } = await stage(({ call }) => result({ case: call.case, value: { json } } as never))
  expect((await ask('GET', `/xapi/agents?agent=${learner}`)).text).toBe(json.toString())
  expect((await ask('GET', `/xapi/activities?${activity}`)).text).toBe(json.toString())
  expect(core.requests.map(({ call }) => call)).toMatchObject([
    { case: 'getPerson', value: { agent } },
    { case: 'getActivity', value: { activityId } },
  ])
})
