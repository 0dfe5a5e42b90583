import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { activity, player, statements } from '../support/statements.ts'
import { startBytes, type Bytes } from './bytes.ts'

let { system, xapi } = {} as Bytes
beforeAll(async () => {
  ;({ system, xapi } = await startBytes())
})
afterAll(() => system.close())

describe('parameters', () => {
  const agent = JSON.stringify(player('ann'))
  const encoded = encodeURIComponent(agent)

  test.each([
    ['agent twice', `agent=${encoded}&agent=${encoded}`, 'agent'],
    ['limit twice', 'limit=1&limit=1', 'limit'],
    ['broken JSON', 'agent={', 'agent'],
    [
      'two identifiers',
      `agent=${encodeURIComponent('{"mbox":"mailto:a@example.org","openid":"https://a.example.org"}')}`,
      'agent',
    ],
    [
      'an anonymous group',
      `agent=${encodeURIComponent('{"objectType":"Group","member":[{"mbox":"mailto:a@example.org"}]}')}`,
      'agent',
    ],
    [
      'an agent with a key twice',
      `agent=${encodeURIComponent('{"mbox":"mailto:a@example.org","mbox":"mailto:b@example.org"}')}`,
      'agent',
    ],
    ['limit -1', 'limit=-1', 'limit'],
    ['limit NaN', 'limit=NaN', 'limit'],
    ['limit 1.5', 'limit=1.5', 'limit'],
    ['a verb that is no IRI', 'verb=played', 'verb'],
    ['an activity that is no IRI', 'activity=chess', 'activity'],
    ['since without a time', 'since=yesterday', 'since'],
    ['until on 30 February', 'until=2026-02-30T00:00:00Z', 'until'],
    ['a registration that is no UUID', 'registration=7', 'registration'],
    ['an id that is no UUID', 'statementId=7', 'statementId'],
    ['an id beside a filter', `statementId=${randomUUID()}&limit=1`, 'limit'],
    ['both ids', `statementId=${randomUUID()}&voidedStatementId=${randomUUID()}`, 'voidedStatementId'],
    ['an unknown one', 'verbs=x', 'verbs'],
    ['another case', 'Limit=1', 'Limit'],
    ['ascending maybe', 'ascending=maybe', 'ascending'],
    ['another format', 'format=pretty', 'format'],
    ['a forged offset', 'offset=../../etc', 'offset'],
    ['a negative offset', 'offset=-1', 'offset'],
    ['broken percent-encoding', 'verb=%', 'verb'],
    ['invalid UTF-8', 'verb=%ff', 'verb'],
  ])('%s: 400 that names it', async (_about, query, name) => {
    const reply = await xapi.request('GET', `/xapi/statements?${query}`)
    expect(reply.status).toBe(400)
    expect(reply.json.message).toContain(name)
    expect(reply.headers.get('x-experience-api-consistent-through')).toMatch(/Z$/)
  })

  test('a query of 17 KB is 414 or 431', async () => {
    expect([414, 431]).toContain((await xapi.get({ activity: `https://example.org/${'x'.repeat(17_000)}` })).status)
  })

  test('limits beyond the maximum give the maximum', async () => {
    for (let n = 0; n < 3; n++) await xapi.post(statements(250, { object: activity('many') }))
    for (const limit of ['0', '501', '1000000000', '99999999999999999999']) {
      const { status, json } = await xapi.get({ limit, activity: activity('many').id })
      expect([status, json.statements.length]).toEqual([200, 500])
    }
  })

  test('a key with U+0000 in the Authorization is a wrong key', async () => {
    for (const text of ['a\0b:c', ':', 'a', '\0', '\ufffd:x', ' : ']) {
      const authorization = `Basic ${Buffer.from(text).toString('base64')}`
      expect((await xapi.as(authorization).get()).status).toBe(401)
    }
  })
})
