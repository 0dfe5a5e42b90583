import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rulesFor } from './dialect.ts'
import { activityKey, actorKey, agentKey, relatedActivityKey, relatedAgentKey, verbKey } from './identify.ts'
import { jsonText } from '../../../test/support/random-json.ts'
import { bodiesOf, prepareStatements, TooMany, type Preparation } from './prepare.ts'
import { cases } from '../../../test/cases/xapi/prepare.ts'
import { members } from './spans.ts'

const id = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'
const how: Preparation = {
  rules: rulesFor('1.0.3', 'games'),
  authority: '{"mbox":"mailto:key@lrs"}',
  now: '2026-11-21T10:00:00.000001Z',
  maxStatements: 250,
}
const ieee: Preparation = { ...how, rules: rulesFor('2.0.0', 'games') }
const who = { mbox: 'mailto:ann@example.org', name: 'Ann' }
const plain = { id, actor: who, verb: { id: 'https://v.org/did' }, object: { id: 'https://o.org/1' } }

const prepare = (input: unknown, change: Partial<Preparation> = {}) => {
  return prepareStatements(Buffer.from(typeof input === 'string' ? input : JSON.stringify(input)), {
    ...how,
    ...change,
  })
}

const bodyOf = (...given: Parameters<typeof prepare>) => bodiesOf(prepare(...given))[0]!

describe('the body', () => {
  test.each(cases)('$name', ({ text, body, ...change }) => {
    expect(bodyOf(text, change)).toBe(body)
    if (change.statementId) return
    expect(bodiesOf(prepare(`[ ${JSON.stringify({ ...plain, id: undefined })} ,\n${text}]`, change))[1]).toBe(body)
  })

  test('gets an id, a timestamp and a version where it has none', () => {
    const prepared = prepare({ ...plain, id: undefined })
    const [made] = prepared.ids
    expect(made).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    expect(JSON.parse(bodiesOf(prepared)[0]!)).toEqual({
      ...plain,
      id: made,
      timestamp: how.now,
      version: '1.0.0',
      authority: { mbox: 'mailto:key@lrs' },
    })
    expect(JSON.parse(bodyOf(plain, ieee))).toMatchObject({ version: '2.0.0' })
  })

  test('keeps the bytes of every member that the service does not own', () => {
    const owned = ['id', 'actor', 'authority', 'stored', 'version', 'timestamp']
    const own = fc.subarray([
      '"authority" : {"mbox":"mailto:x@y.z"}',
      ' "stored":"2026-01-01T00:00:00Z" ',
      `"id":"${id.toUpperCase()}"`,
    ])
    const actor = `"actor": ${JSON.stringify(who)}`
    fc.assert(
      fc.property(
        jsonText,
        jsonText,
        own,
        fc.boolean(),
        fc.infiniteStream(fc.nat()),
        (one, other, owns, token, order) => {
          const rest = [
            ` "verb" : {"id":"https://v.org/did"}`,
            `"object":{"id":"https://o.org/1","definition":{"extensions":{"https://x.org/a":${other}}}}\n`,
            `"result":{"extensions":{"https://x.org/b" :${one}}}`,
            `"context":{"contextActivities":{"parent":[{"id":"https://p.org/"}]},"extensions":{"https://x.org/c":${other}}}`,
            actor,
            ...owns,
          ]
          const shuffled = rest.map((text) => ({ text, at: order.next().value })).sort((a, b) => a.at - b.at)
          const text = `\n{${shuffled.map((part) => part.text).join(',')} } `
          const body = bodyOf(text, token ? { actor: '{"mbox":"mailto:t@lrs"}' } : {})
          const raw = (from: string) => {
            const foreign = members(from).filter(({ key }) => !owned.includes(key))
            return foreign.map(({ keyStart, valueEnd }) => from.slice(keyStart, valueEnd))
          }
          expect(raw(body)).toEqual(raw(text))
          const keys = members(body).map(({ key }) => key)
          expect(keys.toSorted()).toEqual([
            'actor',
            'authority',
            'context',
            'id',
            'object',
            'result',
            'timestamp',
            'verb',
            'version',
          ])
          expect(members(body).find(({ key }) => key === 'authority')).toBeDefined()
          expect(body.endsWith('}')).toBe(true)
        },
      ),
    )
  })
})

describe('a batch', () => {
  test('may be empty', () => {
    expect(prepare('[]')).toMatchObject({
      statements: [],
      bodies: Buffer.alloc(0),
      ids: [],
      activities: [],
      agents: [],
    })
  })

  test('may be as long as the limit and no longer', () => {
    const many = (length: number) => Array.from({ length }, () => ({ ...plain, id: undefined }))
    expect(new Set(prepare(many(250)).ids).size).toBe(250)
    expect(() => prepare(many(251))).toThrow(TooMany)
    expect(() => prepare(`[${'0,'.repeat(250)}0]`)).toThrow('max 250 statements')
  })

  test('with the same id twice keeps the first, in any case of letters, and answers both', () => {
    const twice = [
      plain,
      { ...plain, id: undefined },
      { ...plain, id: id.toUpperCase(), object: { id: 'https://o.org/2' } },
    ]
    const { statements, ids, activities } = prepare(twice)
    expect(ids).toEqual([id, ids[1], id])
    expect(statements.map((statement) => statement.id)).toEqual([id, ids[1]])
    expect(activities.map(({ iri }) => iri)).toEqual(['https://o.org/1'])
    expect(() => prepare(twice, ieee)).toThrow('statements[2].id: must differ from the id of statements[0]')
  })

  test('is refused as a whole, and the path says where', () => {
    expect(() => prepare([plain, { ...plain, actor: {} }])).toThrow(/^statements\[1\]\.actor/)
    expect(() => prepare({ ...plain, actor: { mbox: 1 } })).toThrow(/^actor\.mbox: /)
    expect(() => prepare('[{"actor":1,"actor":2}]')).toThrow('statements[0].actor: must be given only once')
  })

  test.each(['1', 'null', '"x"', '[[]]', '[null]'])('is no statement: %s', (text) => {
    expect(() => prepare(text)).toThrow(/object/)
    expect(() => prepare(text, { actor: JSON.stringify(who), statementId: id })).toThrow()
  })

  test('cannot be PUT', () => {
    expect(() => prepare([plain], { statementId: id })).toThrow('must be a single statement')
  })
})

describe('with a launch token', () => {
  const actor = '{"account":{"homePage":"https://lrs","name":"p"}}'

  test.each([undefined, null, 1, {}, { mbox: 'nonsense', x: null }, who])('the actor %j is replaced', (sent) => {
    const prepared = prepare({ ...plain, actor: sent }, { actor })
    const { statements, agents } = prepared
    expect(JSON.parse(bodiesOf(prepared)[0]!)).toMatchObject({ actor: JSON.parse(actor) as unknown })
    expect(statements[0]!.actor).toBe(agentKey(JSON.parse(actor)))
    expect(agents.map(({ identifier }) => identifier)).toEqual([actor])
  })
})

describe('columns and terms', () => {
  const column = (statement: object, change?: Partial<Preparation>) =>
    prepare({ ...plain, ...statement }, change).statements[0]!
  const agent = (name: string) => ({ mbox: `mailto:${name}@example.org` })
  const activity = (name: string) => ({ id: `https://a.org/${name}` })

  test('of a plain statement', () => {
    const statement = { ...plain, context: { registration: id.toUpperCase() } }
    const body = bodyOf(statement)
    expect(body).toContain(id.toUpperCase())
    expect(column(statement)).toEqual({
      id,
      length: body.length,
      actor: agentKey(who),
      verb: verbKey('https://v.org/did'),
      activity: activityKey('https://o.org/1'),
      registration: id,
      terms: [],
      target: undefined,
      voids: false,
      attachments: [],
    })
  })

  test('of a voiding statement', () => {
    const object = { objectType: 'StatementRef', id: id.toUpperCase() }
    expect(column({ verb: { id: 'http://adlnet.gov/expapi/verbs/voided' }, object })).toMatchObject({
      target: id,
      voids: true,
      activity: undefined,
    })
    expect(column({ object })).toMatchObject({ target: id, voids: false })
  })

  test('of Groups as actor and object', () => {
    const group = { objectType: 'Group' as const, member: [agent('m'), agent('n')] }
    const { actor, terms } = column({
      actor: group,
      object: { objectType: 'Group', ...agent('g'), member: [agent('n'), agent('o')] },
    })
    expect(actor).toBe(actorKey(group))
    expect(terms).toEqual([agent('m'), agent('n'), agent('g'), agent('o')].map(agentKey))
  })

  test('of an Agent as object, which may be the actor', () => {
    expect(column({ object: { objectType: 'Agent', ...agent('o') } }).terms).toEqual([agentKey(agent('o'))])
    expect(column({ object: { objectType: 'Agent', ...who } }).terms).toEqual([])
  })

  test('of the context', () => {
    const context = {
      instructor: agent('i'),
      team: { objectType: 'Group', member: [agent('t'), agent('i')] },
      contextActivities: { parent: activity('p'), other: [activity('o'), activity('p')] },
    }
    const expected = [
      ...[agent('i'), agent('t')].map(relatedAgentKey),
      ...['p', 'o'].map((name) => relatedActivityKey(activity(name).id)),
    ]
    expect(column({ context }).terms).toEqual(expected)
  })

  test('of contextAgents and contextGroups', () => {
    const context = {
      contextAgents: [{ objectType: 'contextAgent', agent: agent('a') }],
      contextGroups: [
        { objectType: 'contextGroup', group: { objectType: 'Group', ...agent('g'), member: [agent('m')] } },
      ],
    }
    expect(column({ context }, ieee).terms).toEqual([agent('a'), agent('g'), agent('m')].map(relatedAgentKey))
  })

  test('of a SubStatement, where everybody and everything is related', () => {
    const {
      terms,
      activity: object,
      attachments,
    } = column({
      object: {
        objectType: 'SubStatement',
        actor: { objectType: 'Group', member: [agent('m')] },
        verb: plain.verb,
        object: activity('x'),
        context: { instructor: agent('i'), contextActivities: { category: [activity('c')] } },
        attachments: [attachment('ab'.repeat(32))],
      },
      attachments: [attachment('CD'.repeat(32)), { ...attachment('ef'.repeat(32)), fileUrl: 'https://f.org/' }],
    })
    const expected = [
      ...[agent('m'), agent('i')].map(relatedAgentKey),
      ...['x', 'c'].map((name) => relatedActivityKey(activity(name).id)),
    ]
    expect(terms).toEqual(expected)
    expect(object).toBeUndefined()
    expect(attachments.map(({ sha2, path, hasFileUrl }) => [sha2, path, hasFileUrl])).toEqual([
      ['cd'.repeat(32), 'attachments[0]', false],
      ['ef'.repeat(32), 'attachments[1]', true],
      ['ab'.repeat(32), 'object.attachments[0]', false],
    ])
  })

  test('do not tell a client’s authority', () => {
    expect(column({ authority: agent('x') }).terms).toEqual([])
  })
})

function attachment(sha2: string) {
  return { usageType: 'https://u.org/', display: { en: 'x' }, contentType: 'text/plain', length: 1, sha2 }
}

describe('mentions', () => {
  test('of activities: with each definition as it came, in order, equal ones once', () => {
    const statement = (definition?: string) => {
      return `{"actor":{"mbox":"mailto:a@b.c"},"verb":{"id":"v:v"},"object":{"id":"https://o.org/"${definition ? `,"definition":${definition}` : ''}}}`
    }
    const [one, two] = ['{"name":{"en":"a"} }', '{"name":{"en":"b"}}']
    const { activities } = prepare(`[${[one, undefined, one, two, two, one, undefined].map(statement).join(',')}]`)
    const named = { key: activityKey('https://o.org/'), iri: 'https://o.org/' }
    expect(activities).toEqual([
      { ...named, definition: one, statements: [0, 2] },
      { ...named, definition: undefined, statements: [1, 6] },
      { ...named, definition: two, statements: [3, 4] },
      { ...named, definition: one, statements: [5] },
    ])
  })

  test('of activities in context and SubStatement', () => {
    const contextActivities = `{"parent":[{"id":"p:1"},{"definition":{ "type":"t:t"},"id":"p:2"}],"grouping":{"id":"g:1","definition":{}}}`
    const inner = `{"objectType":"SubStatement","actor":{"mbox":"mailto:a@b.c"},"verb":{"id":"v:v"},"object":{"id":"s:1","definition":{"moreInfo":"m:m"}},"context":{"contextActivities":{"other":{"id":"s:2"}}}}`
    const prepared = prepare(
      `{"context":{"contextActivities":${contextActivities}},"actor":{"mbox":"mailto:a@b.c"},"verb":{"id":"v:v"},"object":${inner}}`,
    )
    expect(prepared.activities.map(({ iri, definition }) => [iri, definition])).toEqual([
      ['p:1', undefined],
      ['p:2', '{ "type":"t:t"}'],
      ['g:1', '{}'],
      ['s:1', '{"moreInfo":"m:m"}'],
      ['s:2', undefined],
    ])
    const [body] = bodiesOf(prepared)
    expect(body).toContain('"grouping":[{"id":"g:1","definition":{}}]')
    expect(body).toContain('"other":[{"id":"s:2"}]')
  })

  test('of everybody, with names as JSON', () => {
    const { agents } = prepare([
      { ...plain, context: { instructor: { ...who, name: 'A\0\ud800' } } },
      { ...plain, id: undefined, actor: { objectType: 'Group', member: [who, { mbox: who.mbox }] } },
    ])
    const known = { key: agentKey(who), identifier: '{"mbox":"mailto:ann@example.org"}' }
    expect(agents).toEqual([
      { ...known, name: '"Ann"', statements: [0, 1] },
      { ...known, name: '"A\\u0000\\ud800"', statements: [0] },
      { ...known, name: undefined, statements: [1] },
    ])
  })
})
