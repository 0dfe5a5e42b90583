import { expect, test } from 'vitest'
import { verdictOf } from './audit.ts'

const counted = (counts: object, vulnerabilities = {}) =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities,
    metadata: { vulnerabilities: { info: 0, low: 0, moderate: 0, high: 0, critical: 0, ...counts } },
  })

test.each([
  ['nothing is known', counted({}), { good: true, said: 'no known advisories' }],
  [
    'something is known',
    counted({ high: 1, low: 2 }, { left: {}, pad: {} }),
    { good: false, said: '1 high, 2 low: left, pad' },
  ],
  [
    'the registry does not answer that',
    '{"message": "405 Method Not Allowed", "error": {"summary": ""}}',
    { good: undefined, said: '405 Method Not Allowed' },
  ],
  ['npm says nothing', '', { good: undefined, said: 'npm audit gave no answer' }],
  ['npm says something else', 'npm error', { good: undefined, said: 'npm audit gave no answer' }],
])('%s', (_about, answer, verdict) => expect(verdictOf(answer)).toEqual(verdict))
