import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { player } from '../support/statements.ts'
import { activityProfile, agentProfile, fresh, startDocuments, state, type Documents } from './documents.ts'

let { system, game, scopeOf } = {} as Documents
beforeAll(async () => {
  ;({ system, game, scopeOf } = await startDocuments())
})
afterAll(() => system.close())

describe.each([state, activityProfile, agentProfile])('documents at $path', (kind) => {
  test('are listed by the time of their last change, and none is missed at its edge', async () => {
    const { put, list } = scopeOf(kind)
    const ids = Array.from({ length: 20 }, (_, n) => `doc-${n}`)
    await Promise.all(ids.map((id) => put(id, '{}')))
    const rows = await system.database.sql<{ id: string; updated: string }>(
      'select id, updated from document where scope = (select scope from document where id = $1 order by updated desc limit 1) order by updated',
      ['doc-7'],
    )
    expect(rows).toHaveLength(20)
    for (const [n, { updated }] of rows.entries()) {
      const micros = Number(updated)
      const since = `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, 23)}${String(micros % 1000).padStart(3, '0')}Z`
      expect((await list({ since })).json).toEqual(rows.slice(n + 1).map(({ id }) => id))
    }
    expect((await list({ since: 'yesterday' })).status).toBe(400)
  })

  test('need their parameters, and know no others', async () => {
    const { scope, call } = scopeOf(kind)
    for (const name of Object.keys(scope)) {
      const reply = await call('PUT', 'x', { body: '{}', query: { [name]: undefined } })
      expect(reply.status).toBe(400)
      expect(reply.json.message).toContain(name)
    }
    expect((await call('PUT', undefined, { body: '{}' })).json.message).toContain(kind.id)
    expect((await call('GET', 'x', { query: { verb: 'x' } })).status).toBe(400)
    if ('agent' in scope)
      expect((await call('GET', 'x', { query: { agent: { objectType: 'Agent' } } })).json.message).toContain('agent')
    if ('activityId' in scope)
      expect((await call('GET', 'x', { query: { activityId: 'chess' } })).json.message).toContain('activityId')
  })
})

describe('state', () => {
  test('is apart by registration; lists and deletes without one mean all', async () => {
    const { call, list, remove } = scopeOf(state)
    const registrations = ['33333333-0000-4000-8000-000000000001', '33333333-0000-4000-8000-000000000002']
    await call('PUT', 'x', { body: { none: true } })
    for (const registration of registrations)
      await call('PUT', 'x', { body: { registration }, query: { registration } })
    expect((await call('GET', 'x')).json).toEqual({ none: true })
    for (const registration of registrations)
      expect((await call('GET', 'x', { query: { registration: registration.toUpperCase() } })).json).toEqual({
        registration,
      })
    expect((await list()).json).toEqual(['x'])
    await call('DELETE', undefined, { query: { registration: registrations[0] } })
    expect((await call('GET', 'x', { query: { registration: registrations[0] } })).status).toBe(404)
    expect((await call('GET', 'x', { query: { registration: registrations[1] } })).status).toBe(200)
    await remove()
    expect((await call('GET', 'x', { query: { registration: registrations[1] } })).status).toBe(404)
  })

  test('of one game is not that of another', async () => {
    const own = scopeOf(state)
    const others = own.on((await system.game()).xapi())
    await own.put('x', { mine: true })
    expect((await others.get('x')).status).toBe(404)
    expect((await others.list()).json).toEqual([])
    await others.put('x', { mine: false })
    await others.remove()
    expect((await own.get('x')).json).toEqual({ mine: true })
  })
})

describe('profiles', () => {
  test.each([activityProfile, agentProfile])('at $path are shared by all games', async (kind) => {
    const own = scopeOf(kind)
    const others = own.on((await system.game()).xapi())
    await own.put('x', { from: 'here' })
    expect((await others.get('x')).json).toEqual({ from: 'here' })
    expect((await others.remove('x')).status).toBe(204)
    expect((await own.get('x')).status).toBe(404)
  })

  test('of an agent are found by any form of its JSON', async () => {
    const xapi = game.xapi()
    const name = fresh('learner')
    const put = await xapi.request('PUT', 'agents/profile', {
      query: { agent: player(name), profileId: 'x' },
      body: { a: 1 },
    })
    expect(put.status).toBe(204)
    const agent = { name: 'Somebody', account: { name, homePage: player(name).account!.homePage } }
    expect((await xapi.request('GET', 'agents/profile', { query: { agent, profileId: 'x' } })).json).toEqual({ a: 1 })
  })
})
