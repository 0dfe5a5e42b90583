import { expect, test } from 'vitest'
import { isIeee, versionOf } from './xapi-version.ts'

const cases: [header: string, version: string | undefined, ieee?: boolean][] = [
  ['1.0', '1.0.3', false],
  ['1.0.0', '1.0.0', false],
  ['1.0.3', '1.0.3', false],
  ['1.0.999', '1.0.999', false],
  ['2.0', '2.0.0', true],
  ['2.0.0', '2.0.0', true],
  ['2.0.12', '2.0.12', true],
  ['', undefined],
  ['1', undefined],
  ['0.95', undefined],
  ['1.1', undefined],
  ['1.0.', undefined],
  ['1.0.1000', undefined],
  ['1.0.3.1', undefined],
  ['1.0.3, 1.0.3', undefined],
  [' 1.0.3', undefined],
  ['1.0.3\n', undefined],
  ['2.1', undefined],
]

test.each(cases)('%j is %s', (header, version, ieee) => {
  expect(versionOf(header)).toBe(version)
  if (version !== undefined) expect(isIeee(version)).toBe(ieee)
})
