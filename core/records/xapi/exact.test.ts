import { expect, test } from 'vitest'
import { exact, exactRun } from './exact.ts'

const stored = 1_763_700_000_000_001
const cases: [string, string[]][] = [
  ['none', []],
  ['one', ['{"a":1}']],
  ['several of different lengths', ['{"a":1}', `{"b":"${'x'.repeat(5000)}"}`, '{"c":{}}']],
  ['letters of two, three and four bytes', ['{"ä":"ß"}', '{"a":"漢字"}', '{"a":"🎮🎲"}']],
]

test.each(cases)('a run of statements is what they are by themselves, with commas between: %s', (_what, bodies) => {
  const statements = bodies.map((body, index) => ({ body: Buffer.from(body), stored: stored + index }))
  expect(exactRun(statements).toString()).toBe(statements.map(exact).join())
})

test('`stored` stands at the end, with six digits', () => {
  expect(exact({ body: Buffer.from('{"a":1}'), stored }).toString()).toBe(
    '{"a":1,"stored":"2025-11-21T04:40:00.000001Z"}',
  )
})
