import { describe, expect, test } from 'vitest'
import * as identify from './identify.ts'
import { actorKey, agentIdentifier, agentKey, relatedAgentKey, verbKey } from './identify.ts'
import type { Actor } from './types.ts'

const mbox = 'mailto:ann@example.org'
const account = { homePage: 'https://example.org', name: 'ann' }

const same: [string, Actor, Actor][] = [
  ['name', { mbox }, { mbox, name: 'Ann' }],
  ['objectType', { mbox }, { objectType: 'Agent', mbox }],
  ['key order', { account }, { account: { name: 'ann', homePage: 'https://example.org' } }],
  ['an identified Group', { mbox }, { objectType: 'Group', mbox, member: [{ openid: 'https://example.org/' }] }],
]
const different: [string, Actor, Actor][] = [
  ['mbox', { mbox }, { mbox: 'mailto:bob@example.org' }],
  ['kind of identifier', { mbox: 'https://example.org/' }, { openid: 'https://example.org/' }],
  ['homePage', { account }, { account: { ...account, homePage: 'https://example.com' } }],
  [
    'where name and homePage meet',
    { account: { homePage: 'a:b', name: 'c' } },
    { account: { homePage: 'a:', name: 'bc' } },
  ],
  ['lone surrogates', { account: { ...account, name: '\ud800' } }, { account: { ...account, name: '\ud801' } }],
  ['NUL', { account: { ...account, name: 'a\0' } }, { account: { ...account, name: 'a' } }],
]

describe('agents', () => {
  test.each(same)('are the same whatever their %s', (_, one, other) => {
    expect(agentKey(one)).toMatch(/^[0-9a-f]{32}$/)
    expect(agentKey(one)).toBe(agentKey(other))
    expect(agentIdentifier(one)).toBe(agentIdentifier(other))
  })

  test.each(different)('differ by %s', (_, one, other) => {
    expect(agentKey(one)).not.toBe(agentKey(other))
  })

  test('have the identifier alone as JSON', () => {
    expect(agentIdentifier({ objectType: 'Agent', name: 'Ann', account } as Actor)).toBe(
      '{"account":{"homePage":"https://example.org","name":"ann"}}',
    )
    expect(agentIdentifier({ openid: 'https://example.org/' })).toBe('{"openid":"https://example.org/"}')
    expect(agentIdentifier({ mbox_sha1sum: 'ab' })).toBe('{"mbox_sha1sum":"ab"}')
  })
})

test('an anonymous Group has no identifier, but as actor the key of its members in any order', () => {
  const group = (...member: { mbox: string }[]): Actor => ({ objectType: 'Group', member })
  const bob = { mbox: 'mailto:bob@example.org' }
  expect(agentKey(group({ mbox }))).toBeUndefined()
  expect(relatedAgentKey(group({ mbox }))).toBeUndefined()
  expect(actorKey(group({ mbox }, bob))).toBe(actorKey(group(bob, { mbox })))
  expect(actorKey(group({ mbox }))).not.toBe(agentKey({ mbox }))
})

test('each kind of key has its own space', () => {
  const iri = 'https://example.org/x'
  const keys = [identify.verbKey(iri), identify.activityKey(iri), identify.relatedActivityKey(iri)]
  expect(new Set([...keys, agentKey({ mbox }), relatedAgentKey({ mbox })]).size).toBe(5)
})

test('keys stay the same over time and beyond what is remembered', () => {
  const expected = 'e78f92c0d43b07a3fb5e37706abfd29d'
  expect(verbKey('http://adlnet.gov/expapi/verbs/completed')).toBe(expected)
  for (let index = 0; index < 10_000; index++) verbKey(`https://example.org/${index}`)
  expect(verbKey('http://adlnet.gov/expapi/verbs/completed')).toBe(expected)
  const long = `https://example.org/${'x'.repeat(3_000)}`
  expect(verbKey(long)).toBe(verbKey(long))
})
