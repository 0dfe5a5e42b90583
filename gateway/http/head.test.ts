import { describe, expect, test } from 'vitest'
import { asked, learner, stage } from '../../test/support/gateway.ts'

const statements = '/xapi/statements'
const state = '/xapi/activities/state'
const activity = 'activityId=http%3A%2F%2Fa.example%2F1'

/** Method, target, status, the `path` that a 400 names. */
const cases: [string, string, number, string?][] = [
  ['GET', statements, 200],
  ['GET', `${statements}?`, 200],
  ['GET', `${statements}?limit=1&&`, 200],
  ['GET', `${statements}?foo=bar`, 400, 'foo'],
  ['GET', `${statements}?=x`, 400, 'query'],
  ['GET', `${statements}?StatementId=x`, 400, 'StatementId'],
  ['GET', `${statements}?Limit=1`, 400, 'Limit'],
  ['GET', `${statements}?__proto__=1`, 400, '__proto__'],
  ['GET', `${statements}?constructor=1`, 400, 'constructor'],
  ['GET', `${statements}?agent=${learner}&agent=${learner}`, 400, 'agent'],
  ['GET', `${statements}?agent=`, 400, 'agent'],
  ['GET', `${statements}?agent`, 400, 'agent'],
  ['GET', `${statements}?verb=%ff`, 400, 'verb'],
  ['GET', `${statements}?verb=%`, 400, 'verb'],
  ['GET', `${statements}?verb=%zz`, 400, 'verb'],
  ['GET', `${statements}?verb=%ED%A0%80`, 400, 'verb'],
  ['GET', `${statements}?limit=0`, 200],
  ['GET', `${statements}?limit=500`, 200],
  ['GET', `${statements}?limit=99999999999999999999`, 200],
  ['GET', `${statements}?limit=-1`, 400, 'limit'],
  ['GET', `${statements}?limit=1e9`, 400, 'limit'],
  ['GET', `${statements}?limit=NaN`, 400, 'limit'],
  ['GET', `${statements}?limit=1.5`, 400, 'limit'],
  ['GET', `${statements}?limit=+1`, 400, 'limit'],
  ['GET', `${statements}?ascending=yes`, 400, 'ascending'],
  ['GET', `${statements}?ascending=True`, 200],
  ['GET', `${statements}?ascending=Truely`, 400, 'ascending'],
  ['GET', `${statements}?related_agents=1`, 400, 'related_agents'],
  ['GET', `${statements}?related_activities=0`, 400, 'related_activities'],
  ['GET', `${statements}?attachments=maybe`, 400, 'attachments'],
  ['GET', `${statements}?format=short`, 400, 'format'],
  ['GET', `${statements}?format=ids`, 200],
  ['GET', `${statements}?statementId=a&format=exact&attachments=false`, 200],
  ['GET', `${statements}?statementId=a&voidedStatementId=b`, 400, 'voidedStatementId'],
  ['GET', `${statements}?statementId=a&limit=1`, 400, 'limit'],
  ['GET', `${statements}?voidedStatementId=a&agent=${learner}`, 400, 'agent'],
  ['GET', `${statements}?statementId=a&offset=x`, 400, 'offset'],
  ['POST', `${statements}?statementId=a`, 400, 'statementId'],
  ['PUT', statements, 400, 'statementId'],
  ['GET', state, 400, 'activityId'],
  ['GET', `${state}?${activity}`, 400, 'agent'],
  ['GET', `${state}?${activity}&agent=${learner}`, 200],
  ['GET', `${state}?${activity}&agent=${learner}&stateId=s&since=2026-01-01`, 400, 'since'],
  ['GET', `${state}?${activity}&agent=${learner}&profileId=s`, 400, 'profileId'],
  ['PUT', `${state}?${activity}&agent=${learner}`, 400, 'stateId'],
  ['POST', `${state}?${activity}&agent=${learner}`, 400, 'stateId'],
  ['DELETE', `${state}?${activity}&agent=${learner}&since=2026-01-01`, 400, 'since'],
  ['DELETE', `${state}?${activity}&agent=${learner}`, 204],
  ['GET', '/xapi/activities/profile', 400, 'activityId'],
  ['PUT', `/xapi/activities/profile?${activity}`, 400, 'profileId'],
  ['GET', `/xapi/activities/profile?${activity}&agent=${learner}`, 400, 'agent'],
  ['GET', '/xapi/agents/profile', 400, 'agent'],
  ['PUT', `/xapi/agents/profile?agent=${learner}`, 400, 'profileId'],
  ['DELETE', `/xapi/agents/profile?agent=${learner}`, 204],
  ['GET', '/xapi/agents', 400, 'agent'],
  ['GET', '/xapi/activities', 400, 'activityId'],
  ['GET', '/xapi/about?x=1', 400, 'x'],
]

describe('parameters', () => {
  test.each(cases)('%s %s: %s', async (method, target, status, path) => {
    const { ask, core } = await stage()
    const heard = await ask(method, target)
    expect(heard.status).toBe(status)
    if (path === undefined) return
    expect(JSON.parse(heard.text)).toEqual({ message: expect.stringContaining(path), path })
    expect(asked(core)).toEqual([])
  })

  test('raw bytes above ASCII are refused, not stored as something else', async () => {
    const { raw } = await stage()
    const head =
      'HTTP/1.1\r\nHost: a\r\nAuthorization: Basic YTpi\r\nX-Experience-API-Version: 1.0.3\r\nConnection: close\r\n\r\n'
    expect(await raw(Buffer.from(`GET /xapi/statements?verb=http://é ${head}`))).toMatch(/^HTTP\/1\.1 400 /)
  })

  test.each([
    ['stateId', '../x'],
    ['stateId', '\0'],
    ['stateId', '🦊 a+b&c=d'],
    ['stateId', 's'.repeat(4096)],
    ['activityId', `http://a.example/${'%ü'.repeat(1000)}`],
  ])('%s %j reaches core as it is', async (name, value) => {
    const { ask, core } = await stage()
    const given = { activityId: 'http://a.example/1', agent: '{"mbox":"mailto:a@b.c"}', stateId: 's', [name]: value }
    await ask('GET', `${state}?${new URLSearchParams(given)}`)
    const { activityId, agent, stateId } = given
    expect(core.requests[0]!.call.value).toMatchObject({
      id: stateId,
      scope: { kind: { value: { activityId, agent } } },
    })
  })

  test('queries: 16,384 bytes pass, 17 KB are 414, more are 431', async () => {
    const { ask } = await stage()
    const query = (length: number) => ask('GET', `${statements}?verb=${'v'.repeat(length - 5)}`)
    expect((await query(16_384)).status).toBe(200)
    expect((await query(16_385)).status).toBe(414)
    expect((await query(17_000)).status).toBe(414)
    const heard = await query(40_000)
    expect(heard.status).toBe(431)
    expect(heard.headers).toMatchObject({ 'access-control-allow-origin': '*', 'x-experience-api-version': '1.0.3' })
    expect(JSON.parse(heard.text)).toEqual({ message: expect.any(String) })
  })
})
