import { expect, test } from 'vitest'
import { pseudonymHome, pseudonymizer } from './pseudonyms.ts'

const authority = JSON.stringify({ account: { homePage: 'https://lrs.example.org', name: 'chess' } })
const pseudonymize = (key = 1, bare = false) => pseudonymizer({ key: Buffer.alloc(32, key), authority, bare })

const ada = { name: 'Ada Lovelace', mbox: 'mailto:ada@example.org' }
const ben = {
  objectType: 'Agent',
  name: 'Ben Secret',
  account: { homePage: 'https://school.example', name: 'ben.secret' },
}
const eve = { mbox_sha1sum: 'ee'.repeat(20), name: 'Eve Secret' }
const zoe = { openid: 'https://zoe-secret.example/', name: 'Zoe Secret' }
const id = '6690e6c9-3ef0-4ed3-8b37-7f3964730bee'
const registration = 'ec531277-b57b-4c15-8d91-d292c5b2b8f7'

/** A statement that names a person in every place that can. */
const full = {
  id,
  actor: { objectType: 'Group', name: 'Class Secret', member: [ada, ben] },
  verb: { id: 'http://adlnet.gov/expapi/verbs/commented', display: { en: 'commented' } },
  object: {
    objectType: 'SubStatement',
    actor: zoe,
    verb: { id: 'http://adlnet.gov/expapi/verbs/asked' },
    object: { objectType: 'Group', name: 'Team Secret', mbox: 'mailto:team-secret@example.org', member: [eve] },
    context: { instructor: ada, registration, extensions: { 'https://x.example/who': 'Ada Lovelace' } },
    attachments: [{ usageType: 'https://x.example/photo', display: { en: 'Ada Lovelace' } }],
  },
  result: { response: 'I am Ada Lovelace', score: { scaled: 0.1 }, extensions: { 'https://x.example/n': 1 } },
  context: {
    registration,
    instructor: eve,
    team: { objectType: 'Group', member: [zoe] },
    statement: { objectType: 'StatementRef', id },
    contextAgents: [{ objectType: 'contextAgent', agent: ben }],
    contextGroups: [{ objectType: 'contextGroup', group: { objectType: 'Group', member: [ada] } }],
    contextActivities: {
      parent: { id: 'https://x.example/a', definition: { extensions: { 'https://x.example/e': 'Ada Lovelace' } } },
    },
  },
  authority: { objectType: 'Agent', account: { homePage: 'https://lrs.example.org', name: 'chess' } },
  attachments: [{ usageType: 'http://adlnet.gov/expapi/attachments/signature', display: { en: 'Signed by Ada' } }],
  stored: '2026-11-22T10:00:00.000000Z',
}
const names = [
  'Ada',
  'ada@',
  'Ben',
  'ben.secret',
  'Eve',
  'ee'.repeat(20),
  'Zoe',
  'zoe-secret',
  'Secret',
  'secret',
  id,
  registration,
]

test('no name or identifier of a person is left, in any place of a statement', () => {
  const text = pseudonymize(1, true)(JSON.stringify(full))
  for (const name of names) expect(text).not.toContain(name)
  const told = JSON.parse(text)
  expect(told.authority).toEqual(full.authority)
  expect(told.attachments).toBeUndefined()
  expect(told.result).toEqual({ score: { scaled: 0.1 } })
  expect(told.context.contextActivities.parent).toEqual({ id: 'https://x.example/a', definition: {} })
  expect(told.stored).toBe(full.stored)
})

test('responses and extensions stay unless they are left out', () => {
  const told = JSON.parse(pseudonymize()(JSON.stringify(full)))
  expect(told.result).toEqual(full.result)
  expect(told.context.contextActivities).toEqual(full.context.contextActivities)
})

test('the same learner has the same pseudonym with the same key, and another one with another key', () => {
  const told = JSON.parse(pseudonymize()(JSON.stringify(full)))
  expect(told.actor.member[0]).toEqual(told.object.context.instructor)
  expect(told.actor.member[0]).toEqual({
    objectType: 'Agent',
    name: expect.stringMatching(/^[\w-]{22}$/),
    account: { homePage: pseudonymHome, name: told.actor.member[0].name },
  })
  expect(told.actor.member[1].account.name).not.toBe(told.actor.member[0].account.name)
  expect(told.context.registration).toBe(told.object.context.registration)
  expect(told.context.statement.id).toBe(told.id)
  expect(told.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  const other = JSON.parse(pseudonymize(2)(JSON.stringify(full)))
  expect(other.actor.member[0].account.name).not.toBe(told.actor.member[0].account.name)
  expect(other.id).not.toBe(told.id)
})

test('the pseudonym is the name, too, wherever there is an agent; a group without identifier has none', () => {
  const told = JSON.parse(pseudonymize()(JSON.stringify(full)))
  const { object, context } = told
  const people = [
    ...told.actor.member,
    object.actor,
    object.object,
    ...object.object.member,
    object.context.instructor,
    context.instructor,
    ...context.team.member,
    context.contextAgents[0].agent,
    ...context.contextGroups[0].group.member,
  ]
  for (const { name, account } of people) expect(name).toBe(account.name)
  expect(new Set(people.map(({ name }) => name)).size).toBe(5)
  for (const group of [told.actor, context.team, context.contextGroups[0].group])
    expect(Object.keys(group)).toEqual(['objectType', 'member'])
})

test.each([
  ['2026-11-22T01:30:00.1234567+02:00', '2026-11-21T23:30:00.1234567Z'],
  ['2026-12-31T23:00:00-05:30', '2027-01-01T04:30:00Z'],
  ['2026-11-22T01:30:00.10Z', '2026-11-22T01:30:00.10Z'],
  ['9999-12-31T23:59:59-01:00', '9999-12-31T23:59:59-01:00'],
])('the timestamp %s is %s: an offset would tell where somebody is', (timestamp, utc) => {
  const object = { ...full.object, timestamp }
  const told = JSON.parse(pseudonymize()(JSON.stringify({ ...full, object, timestamp })))
  expect([told.timestamp, told.object.timestamp]).toEqual([utc, utc])
})

test('all other bytes stay', () => {
  const text = `{ "id":"${id}", "actor":{"mbox":"mailto:ada@example.org"}, "verb":{"id":"e:v"},
    "object":{"id":"e:a"}, "result":{"score":{"raw":1.50, "max":1e400}}, "__proto__":1, "attachments":[] }`
  const told = pseudonymize()(text)
  expect(told).toContain(`"object":{"id":"e:a"}, "result":{"score":{"raw":1.50, "max":1e400}}, "__proto__":1 }`)
})

test('an authority that is not the one of the game is a person, too', () => {
  const told = JSON.parse(pseudonymize()(JSON.stringify({ ...full, authority: ada })))
  expect(told.authority.account.homePage).toBe(pseudonymHome)
})
