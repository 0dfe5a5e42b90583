import { describe, expect, test } from 'vitest'
import { validateAgent } from './agent.ts'
import { rulesFor } from './dialect.ts'

const rules = rulesFor('1.0.3', 'games')
const account = { homePage: 'https://example.org', name: 'ann' }

describe('validateAgent', () => {
  test.each([
    { mbox: 'mailto:ann@example.org' },
    { objectType: 'Agent', name: 'Ann', account },
    { mbox_sha1sum: '2fd4e1c67a2d28fced849ee1bb76e7391b93eb12' },
    { openid: 'https://id.example.org/ann' },
    { objectType: 'Group', account },
    { objectType: 'Group', account, member: [{ mbox: 'mailto:ann@example.org' }] },
  ])('accepts $objectType %#', (agent) => {
    expect(() => validateAgent(agent, 'agent', rules)).not.toThrow()
  })

  test.each([
    ['ann', 'agent: must be an Agent or Group (an object), not "ann"'],
    [null, 'agent: must be an Agent or Group (an object), not null'],
    [[], 'agent: must be an Agent or Group (an object), not an array'],
    [{}, 'agent: needs exactly one of mbox, mbox_sha1sum, openid or account, but has none'],
    [
      { account, openid: 'https://id.example.org/ann' },
      'agent: needs exactly one of mbox, mbox_sha1sum, openid or account, but has 2',
    ],
    [{ mbox: 'mailto:ann' }, 'agent.mbox: must be a mailto IRI such as "mailto:ann@example.org", not "mailto:ann"'],
    [
      { objectType: 'Group', member: [{ account }] },
      'agent: must be identified by one of mbox, mbox_sha1sum, openid or account; a Group without identifier is not',
    ],
    [{ objectType: 'Activity' }, 'agent.objectType: must be "Agent" or "Group", not "Activity"'],
  ])('refuses %j', (agent, message) => {
    expect(() => validateAgent(agent, 'agent', rules)).toThrow(message)
  })
})
