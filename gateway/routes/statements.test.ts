import { describe, expect, test } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { Form, Format } from '../../gen/lrs/v1/statements_pb.js'
import { asJson, credential, failure, result, stage, usual } from '../../test/support/gateway.ts'

const path = '/xapi/statements'
const id = '6690e6c9-3ef0-4ed3-8b37-7f3964730bee'
const noon = 1_795_176_000_000_001n // 2026-11-20T12:00:00.000001Z
const through = 'x-experience-api-consistent-through'
const ieee = { ...credential, 'X-Experience-API-Version': '2.0.0' }
const bytes = (text: string) => Buffer.from(text)

describe('writing', () => {
  test('POST: the bytes go to core, the ids come back', async () => {
    const { ask, core } = await stage(() => result({ case: 'storeStatements', value: { ids: [id, id] } }))
    const body = '[ {"a":1e400,"\\u0000":"\\ud800"} ]'
    const heard = await ask('POST', path, { headers: asJson, body })
    expect(heard.status).toBe(200)
    expect(heard.headers['content-type']).toBe('application/json')
    expect(JSON.parse(heard.text)).toEqual([id, id])
    expect(core.requests[0]!.call).toMatchObject({ case: 'storeStatements', value: { statementId: '' } })
    expect(Buffer.from((core.requests[0]!.call.value as { json: Uint8Array }).json).toString()).toBe(body)
  })

  test('PUT: the id of the query goes along, 204', async () => {
    const { ask, core } = await stage()
    const heard = await ask('PUT', `${path}?statementId=${id}`, { headers: asJson, body: '{}' })
    expect(heard.status).toBe(204)
    expect(heard.body.length).toBe(0)
    expect(heard.headers['content-length']).toBeUndefined()
    expect(core.requests[0]!.call).toMatchObject({ case: 'storeStatements', value: { statementId: id } })
  })

  test('POST of 251: core hears of them, and has the beginning; of 250 it has all', async () => {
    const { ask, core } = await stage(() => failure(Reason.TOO_MANY_STATEMENTS, '251'))
    const batch = (count: number) => `[${Array.from({ length: count }, () => `{"a":"${'x'.repeat(80)}"}`).join(', ')}]`
    const heard = await ask('POST', path, { headers: asJson, body: batch(251) })
    expect(heard.status).toBe(413)
    expect(JSON.parse(heard.text).error).toContain('max 250 statements')
    await ask('POST', path, { headers: asJson, body: batch(250) })
    await ask('PUT', `${path}?statementId=${id}`, { headers: asJson, body: batch(251) })
    const sent = core.requests.map(({ call }) => call.value as { json: Uint8Array; tooMany: boolean })
    expect(sent.map(({ json, tooMany }) => [tooMany, Buffer.from(json).toString()])).toEqual([
      [true, batch(251).slice(0, 16_384)],
      [false, batch(250)],
      [false, batch(251)],
    ])
  })
})

describe('reading one', () => {
  const one = () =>
    result({ case: 'getStatement', value: { json: bytes('{"id":1e400}'), stored: noon, consistentThrough: noon + 5n } })

  test('its bytes', async () => {
    const { ask, core } = await stage(one)
    const heard = await ask('GET', `${path}?statementId=${id}&format=canonical`, {
      headers: { ...usual, 'Accept-Language': 'nl' },
    })
    expect(heard.text).toBe('{"id":1e400}')
    expect(heard.headers[through]).toBe('2026-11-20T12:00:00.000006Z')
    expect(heard.headers['last-modified']).toBe('Fri, 20 Nov 2026 12:00:00 GMT')
    const value = {
      statementId: id,
      voidedStatementId: '',
      format: Format.CANONICAL,
      form: Form.JSON,
      acceptLanguage: 'nl',
    }
    expect(core.requests[0]!.call).toMatchObject({ case: 'getStatement', value })
  })

  test('a voided one', async () => {
    const { ask, core } = await stage(one)
    const heard = await ask('GET', `${path}?voidedStatementId=${id}`, { headers: ieee })
    expect(heard.headers['last-modified']).toBe('Fri, 20 Nov 2026 12:00:00 GMT')
    expect(core.requests[0]!.call.value).toMatchObject({ statementId: '', voidedStatementId: id })
  })

  test('attachments=true is multipart/mixed', async () => {
    const { ask } = await stage(one)
    const heard = await ask('GET', `${path}?statementId=${id}&attachments=true`)
    const [, boundary] = /^multipart\/mixed; boundary=([\w-]+)$/.exec(heard.headers['content-type']!)!
    expect(heard.text).toBe(
      `--${boundary}\r\nContent-Type: application/json\r\n\r\n{"id":1e400}\r\n--${boundary}--\r\n`,
    )
  })
})

describe('reading a page', () => {
  const page = (json: string[], next = '') =>
    result({ case: 'queryStatements', value: { jsonRun: bytes(json.join()), next, consistentThrough: noon } })

  test('every filter reaches core', async () => {
    const { ask, core } = await stage(() => page([]))
    const query = new URLSearchParams({
      agent: '{"mbox":"mailto:ä@b.c"}',
      verb: 'http://v.example/é',
      activity: 'http://a.example/?x=1&y=2',
      registration: id,
      related_activities: 'true',
      related_agents: 'false',
      since: '2026-01-01T00:00:00+01:00',
      until: '2026-02-01T00:00:00Z',
      limit: '7',
      ascending: 'true',
      format: 'ids',
      offset: 'place',
    })
    await ask('GET', `${path}?${query}`)
    expect(core.requests[0]!.call).toMatchObject({
      case: 'queryStatements',
      value: {
        agent: '{"mbox":"mailto:ä@b.c"}',
        verb: 'http://v.example/é',
        activity: 'http://a.example/?x=1&y=2',
        registration: id,
        relatedActivities: true,
        relatedAgents: false,
        since: '2026-01-01T00:00:00+01:00',
        until: '2026-02-01T00:00:00Z',
        limit: 7,
        ascending: true,
        format: Format.IDS,
        form: Form.JSON_RUN,
        offset: 'place',
      },
    })
  })

  test.each([
    ['', 50],
    ['?limit=0', 0],
    ['?limit=501', 501],
    ['?limit=99999999999999', 4_294_967_295],
  ])('limit of %j is %s for core', async (query, limit) => {
    const { ask, core } = await stage(() => page([]))
    await ask('GET', path + query)
    expect(core.requests[0]!.call.value).toMatchObject({ limit })
  })

  test.each([
    [[], '{"statements":[],"more":""}'],
    [['{"a":1.0}'], '{"statements":[{"a":1.0}],"more":""}'],
    [['{"a":-0}', '{"b":"\\u0000"}'], '{"statements":[{"a":-0},{"b":"\\u0000"}],"more":""}'],
  ])('%j', async (json, text) => {
    const { ask } = await stage(() => page(json))
    const heard = await ask('GET', path)
    expect(heard.text).toBe(text)
    expect(heard.headers[through]).toBe('2026-11-20T12:00:00.000001Z')
  })

  test.each([
    ['', 'limit=50&offset=n%2Fe%2Bx%22'],
    ['?limit=3', 'limit=3&offset=n%2Fe%2Bx%22'],
    ['?offset=old&limit=0', 'limit=0&offset=n%2Fe%2Bx%22'],
    [
      '?ascending=true&agent=%7B%22mbox%22%3A%22mailto%3Aa%2Bb%40c.d%22%7D',
      'ascending=true&agent=%7B%22mbox%22%3A%22mailto%3Aa%2Bb%40c.d%22%7D&limit=50&offset=n%2Fe%2Bx%22',
    ],
    ['?verb=http://v.example/a+b', 'verb=http%3A%2F%2Fv.example%2Fa%20b&limit=50&offset=n%2Fe%2Bx%22'],
  ])('more of %j', async (query, expected) => {
    const { ask, core } = await stage(() => page([], 'n/e+x"'))
    const { more } = JSON.parse((await ask('GET', path + query)).text)
    expect(more).toBe(`${path}?${expected}`)
    await ask('GET', more)
    const [first, second] = core.requests.map(({ call }) => call.value)
    expect(second).toEqual({ ...first, offset: 'n/e+x"' })
  })

  test('Consistent-Through stands on refusals too: what core says then, or said last, never the clock', async () => {
    const { ask, core } = await stage(() => page([]))
    expect((await ask('GET', path, { headers: {} })).headers[through]).toBe('1970-01-01T00:00:00.000000Z')
    core.reply = ({ call }) => (call.case === 'queryStatements' ? page([]) : failure(Reason.NOT_FOUND, 'none'))
    for (const target of [`${path}?x=1`, `${path}?statementId=x`]) {
      expect((await ask('GET', target)).headers[through]).toBe('2026-11-20T12:00:00.000001Z')
      expect(core.requests.at(-1)!.call).toMatchObject({
        case: 'queryStatements',
        value: { onlyConsistentThrough: true, since: '' },
      })
    }
    core.reply = () => failure(Reason.NOT_FOUND, 'none')
    for (const [target, headers] of [
      [path, usual],
      [`${path}?x=1`, usual],
      [path, {}],
      [path, credential],
    ] as const) {
      expect((await ask('GET', target, { headers })).headers[through]).toBe('2026-11-20T12:00:00.000001Z')
    }
    // an answer never claims more than its own page was made from
    core.reply = () => result({ case: 'queryStatements', value: { consistentThrough: noon - 1n } })
    expect((await ask('GET', path)).headers[through]).toBe('2026-11-20T12:00:00.000000Z')
  })

  test('a core that is away is not asked a second time', async () => {
    const { ask, core } = await stage(() => failure(Reason.UNAVAILABLE, 'away'))
    expect((await ask('GET', path)).status).toBe(503)
    expect(core.requests).toHaveLength(1)
  })
})
