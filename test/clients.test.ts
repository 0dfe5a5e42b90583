import xapiModule from '@xapi/xapi'
import TinCan from 'tincanjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSystem, type System } from './support/system.ts'
import { attachment } from './support/attachments.ts'
import type { Game } from './support/games.ts'
import { activity, reference, statement, type Json } from './support/statements.ts'

// Its types say that the class is `default` of what require() gives; it is that itself.
const XAPI = xapiModule as unknown as typeof xapiModule.default

let system: System
let game: Game
beforeAll(async () => {
  system = await startSystem()
  game = await system.game()
})
afterAll(() => system.close())

const ann = { objectType: 'Agent' as const, name: 'Ann', mbox: 'mailto:ann@example.org' }
const won = { id: 'https://games.example.org/verbs/won', display: { en: 'won' } }

describe('@xapi/xapi', () => {
  const client = () =>
    new XAPI({ endpoint: `${system.urls[0]}/xapi/`, auth: game.authorization, version: '1.0.3', adapter: 'fetch' })

  test('stores, queries, follows more and voids statements', async () => {
    const xapi = client()
    const list: Json[] = Array.from({ length: 7 }, (_, n) => ({
      actor: ann,
      verb: won,
      object: { objectType: 'Activity', ...activity(`level-${n}`) },
    }))
    const [first] = (await xapi.sendStatement({ statement: list[0] })).data
    expect((await xapi.sendStatements({ statements: list.slice(1) })).data).toHaveLength(6)
    expect((await xapi.getStatement({ statementId: first! })).data).toMatchObject(list[0])
    const seen: Json[] = []
    let { data } = await xapi.getStatements({ agent: ann, verb: won.id, limit: 3, ascending: true })
    for (;;) {
      seen.push(...data.statements)
      if (!data.more) break
      ;({ data } = (await xapi.getMoreStatements({ more: data.more })) as { data: typeof data })
    }
    expect(seen.map(({ object }) => object.id)).toEqual(list.map(({ object }) => object.id))
    await xapi.voidStatement({ actor: ann, statementId: first! })
    await expect(xapi.getStatement({ statementId: first! })).rejects.toBeDefined()
    expect((await xapi.getVoidedStatement({ voidedStatementId: first! })).data).toMatchObject(list[0])
  })

  test('uses state, profiles, Person, Activity and about', async () => {
    const xapi = client()
    const at = { agent: ann, activityId: activity('level-1').id, stateId: 'bookmark' }
    await xapi.setState({ ...at, state: { page: 1 } })
    await xapi.createState({ ...at, state: { chapter: 2 } })
    expect((await xapi.getState(at)).data).toEqual({ page: 1, chapter: 2 })
    expect((await xapi.getStates(at)).data).toEqual(['bookmark'])
    await xapi.deleteState(at)
    await expect(xapi.getState(at)).rejects.toBeDefined()
    const profile = { activityId: at.activityId, profileId: 'p' }
    await xapi.setActivityProfile({ ...profile, profile: { a: 1 }, etag: '*', matchHeader: 'If-None-Match' })
    expect((await xapi.getActivityProfile(profile)).data).toEqual({ a: 1 })
    expect((await xapi.getActivityProfiles({ activityId: at.activityId })).data).toEqual(['p'])
    await xapi.createAgentProfile({ agent: ann, profileId: 'p', profile: { b: 2 } })
    const read = await xapi.getAgentProfile({ agent: ann, profileId: 'p' })
    expect(read.data).toEqual({ b: 2 })
    await xapi.deleteAgentProfile({ agent: ann, profileId: 'p', etag: (read.headers as Json)['etag'] })
    expect((await xapi.getAgent({ agent: ann })).data).toMatchObject({
      objectType: 'Person',
      name: ['Ann'],
      mbox: [ann.mbox],
    })
    expect((await xapi.getActivity({ activityId: activity('level-1').id })).data).toMatchObject({
      objectType: 'Activity',
      id: activity('level-1').id,
    })
    expect((await xapi.getAbout()).data.version).toContain('1.0.3')
  })
})

describe('attachments of @xapi/xapi in Node', () => {
  const send = (adapter: 'axios' | 'fetch') => {
    const attachments = ['a', 'b'].map((text) => attachment(text))
    return new XAPI({
      endpoint: `${system.urls[0]}/xapi/`,
      auth: game.authorization,
      version: '1.0.3',
      adapter,
    }).sendStatement({
      statement: { ...statement(), attachments } as never,
      attachments: ['a', 'b'].map((text) => new TextEncoder().encode(text).buffer),
    })
  }

  test('are sent by its fetch', async () => {
    expect((await send('fetch')).data).toHaveLength(1)
  })

  test('are spoilt by its axios, which replaces their Content-Type', async () => {
    await expect(send('axios')).rejects.toMatchObject({ response: { status: 400, data: { path: 'Content-Type' } } })
  })
})

describe('tincanjs', () => {
  const lrs = (): Json =>
    new TinCan.LRS({ endpoint: `${system.urls[0]}/xapi/`, username: game.key, password: game.secret, allowFail: false })
  /** Calls a method that takes its callback in its options. */
  const call = (client: Json, method: string, ...values: unknown[]): Promise<Json> =>
    new Promise((done, fail) => {
      const callback = (error: unknown, result: unknown) =>
        error ? fail(Object.assign(new Error(`${method}: ${error}`), { status: error })) : done(result)
      const options = typeof values.at(-1) === 'object' && values.length > 1 ? (values.pop() as object) : {}
      client[method](...values, { ...options, callback })
    })

  test('stores, queries and follows more', async () => {
    const client = lrs()
    const own = { id: 'https://games.example.org/verbs/jumped', display: { en: 'jumped' } }
    const list = Array.from(
      { length: 6 },
      (_, n) => new TinCan.Statement(statement({ actor: ann, verb: own, object: activity(`jump-${n}`) })),
    )
    await call(client, 'saveStatement', list[0], {})
    await call(client, 'saveStatements', list.slice(1), {})
    const one = await call(client, 'retrieveStatement', list[0].id, {})
    expect(one.id).toBe(list[0].id)
    expect(one.authority.account.name).toBe(game.key)
    const query = (extra: object): Promise<Json> =>
      new Promise((done, fail) =>
        client.queryStatements({
          params: { verb: new TinCan.Verb(own), limit: 4, ...extra },
          callback: (error: unknown, result: Json) => (error ? fail(error) : done(result)),
        }),
      )
    const page = await query({ ascending: true })
    const next: Json = await new Promise((done, fail) =>
      client.moreStatements({
        url: page.more,
        callback: (error: unknown, result: Json) => (error ? fail(error) : done(result)),
      }),
    )
    expect([...page.statements, ...next.statements].map(({ id }: Json) => id)).toEqual(list.map(({ id }) => id))
    expect(next.more).toBe('')
    const byAgent = await query({ agent: new TinCan.Agent(ann), verb: new TinCan.Verb(own) })
    expect(byAgent.statements).toHaveLength(4)
    const referring = new TinCan.Statement(statement({ actor: ann, verb: won, object: reference(list[0].id) }))
    await call(client, 'saveStatement', referring, {})
    expect((await query({ limit: 10 })).statements).toHaveLength(7)
  })

  test('uses state and profiles, with ETags of its own', async () => {
    const client = lrs()
    const [agent, about] = [new TinCan.Agent(ann), new TinCan.Activity(activity('tincan'))]
    const at = { agent, activity: about, contentType: 'application/json' }
    await call(client, 'saveState', 'save', JSON.stringify({ lives: 3 }), at)
    const state = await call(client, 'retrieveState', 'save', at)
    expect([state.contents, state.contentType]).toEqual([{ lives: 3 }, 'application/json'])
    await call(client, 'saveState', 'save', JSON.stringify({ coins: 7 }), { ...at, method: 'POST' })
    expect((await call(client, 'retrieveState', 'save', at)).contents).toEqual({ lives: 3, coins: 7 })
    await call(client, 'dropState', 'save', at)
    expect(await call(client, 'retrieveState', 'save', at)).toBeNull()
    await call(client, 'saveActivityProfile', 'level', 'plain text', { activity: about, contentType: 'text/plain' })
    const profile = await call(client, 'retrieveActivityProfile', 'level', { activity: about })
    expect(profile.contents).toBe('plain text')
    await expect(
      call(client, 'saveActivityProfile', 'level', 'other', {
        activity: about,
        contentType: 'text/plain',
        lastSHA1: '0'.repeat(40),
      }),
    ).rejects.toMatchObject({ status: 412 })
    await call(client, 'saveActivityProfile', 'level', 'other', {
      activity: about,
      contentType: 'text/plain',
      lastSHA1: profile.etag.replaceAll('"', ''),
    })
    await call(client, 'saveAgentProfile', 'settings', '{"a":1}', { agent, contentType: 'application/json' })
    expect((await call(client, 'retrieveAgentProfile', 'settings', { agent })).contents).toEqual({ a: 1 })
    await call(client, 'dropAgentProfile', 'settings', { agent })
    expect((await call(client, 'retrieveActivity', activity('jump-1').id, {})).id).toBe(activity('jump-1').id)
  })
})
