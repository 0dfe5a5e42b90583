import { describe, expect, test } from 'vitest'
import { forget, mustGo } from './forget.ts'
import { actorKey, agentKey } from './identify.ts'
import type { Statement } from './types.ts'

const ann = { mbox: 'mailto:ann@example.org' }
const ben = { mbox: 'mailto:ben@example.org' }
const key = agentKey(ann)!
const pseudonym = { homePage: 'https://lrs.example.org/erased', name: 'x' }
const nobody = '"objectType":"Agent","account":{"homePage":"https://lrs.example.org/erased","name":"x"}'
const base = (rest: string) =>
  `{"actor": {"mbox":"mailto:ben@example.org"},"verb":{"id":"https://v.example/v"},"object":{"id":"https://a.example/a"}${rest}}`

describe('forget', () => {
  test.each([
    [
      ',"context":{"instructor":{"name":"Ann","mbox":"mailto:ann@example.org"}}',
      `,"context":{"instructor":{${nobody}}}`,
    ],
    [
      ',"context":{"instructor":{ "mbox" : "mailto:\\u0061nn@example.org" }}',
      `,"context":{"instructor":{ ${nobody} }}`,
    ],
    [
      ',"context":{"team":{"objectType":"Group","member":[{"mbox":"mailto:ben@example.org"},{"mbox":"mailto:ann@example.org"}]}}',
      `,"context":{"team":{"objectType":"Group","member":[{"mbox":"mailto:ben@example.org"},{${nobody}}]}}`,
    ],
    [',"authority":{"mbox":"mailto:ann@example.org"}', `,"authority":{${nobody}}`],
    [
      ',"context":{"contextAgents":[{"objectType":"contextAgent","agent":{"mbox":"mailto:ann@example.org"}}]}',
      `,"context":{"contextAgents":[{"objectType":"contextAgent","agent":{${nobody}}}]}`,
    ],
    // what is no Agent by its place stays, numbers and all
    [
      ',"context":{"extensions":{"https://e.example/e":{"mbox":"mailto:ann@example.org","n":1.0e2}}}',
      ',"context":{"extensions":{"https://e.example/e":{"mbox":"mailto:ann@example.org","n":1.0e2}}}',
    ],
  ])('%s', (before, after) => {
    expect(forget(base(before), key, pseudonym).body).toBe(base(after))
  })

  test('gives the key of an actor that is another one by its members', () => {
    const group = (members: string) =>
      `{"actor":{"objectType":"Group","member":[${members}]},"verb":{"id":"https://v.example/v"},"object":{"objectType":"SubStatement","actor":{"mbox":"mailto:ann@example.org"},"verb":{"id":"https://v.example/v"},"object":{"id":"https://a.example/a"}}}`
    const forgotten = forget(group(JSON.stringify(ann)), key, pseudonym)
    expect(forgotten.body).toBe(group(`{${nobody}}`).replace('{"mbox":"mailto:ann@example.org"}', `{${nobody}}`))
    expect(forgotten.actor).toBe(actorKey({ objectType: 'Group', member: [{ account: pseudonym }] }))
  })
})

test('own statements and signed ones must go, others need not', () => {
  const of = (over: object) =>
    ({
      actor: ben,
      verb: { id: 'https://v.example/v' },
      object: { id: 'https://a.example/a' },
      ...over,
    }) as unknown as Statement
  const signed = {
    attachments: [
      {
        usageType: 'http://adlnet.gov/expapi/attachments/signature',
        display: {},
        contentType: 'application/octet-stream',
        length: 1,
        sha2: '',
      },
    ],
  }
  expect(mustGo(of({ actor: ann }), key)).toBe(true)
  expect(mustGo(of({ object: { objectType: 'Agent', ...ann } }), key)).toBe(true)
  expect(mustGo(of(signed), key)).toBe(true)
  expect(mustGo(of({ context: { instructor: ann } }), key)).toBe(false)
})
