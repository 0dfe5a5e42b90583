import { expect, test } from 'vitest'
import { agentIdentifier } from './identify.ts'
import { personOf } from './person.ts'
import type { Actor } from './types.ts'

test.each<[Actor, string[], string]>([
  [{ mbox: 'mailto:a@b.c' }, ['"Ann"', '"A"', '"Ann"'], '"name":["Ann","A"],"mbox":["mailto:a@b.c"]'],
  [{ openid: 'o:o' }, [], '"name":[],"openid":["o:o"]'],
  [{ mbox_sha1sum: 'ab' }, ['"\\u0000\\ud800"'], '"name":["\\u0000\\ud800"],"mbox_sha1sum":["ab"]'],
  [{ account: { homePage: 'h:h', name: 'n"' } }, [], '"name":[],"account":[{"homePage":"h:h","name":"n\\""}]'],
])('%j', (agent, names, expected) => {
  expect(personOf(agentIdentifier(agent)!, names)).toBe(`{"objectType":"Person",${expected}}`)
})
