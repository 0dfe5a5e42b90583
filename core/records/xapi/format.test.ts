import { describe, expect, test } from 'vitest'
import { formats } from '../../../test/cases/xapi/format.ts'
import { canonical, idsOnly } from './format.ts'

describe.each(formats)('$name', ({ exact, ...expected }) => {
  test('canonical', () => {
    expect(canonical(exact, ['de'])).toBe(expected.canonical ?? exact)
  })

  test('ids', () => {
    expect(idsOnly(exact)).toBe(expected.ids ?? exact)
  })

  test('once more changes nothing', () => {
    expect(canonical(canonical(exact, ['de']), ['en'])).toBe(expected.canonical ?? exact)
    expect(idsOnly(idsOnly(exact))).toBe(expected.ids ?? exact)
  })
})

test('300,000 languages', () => {
  const display = Array.from({ length: 300_000 }, (_, index) => `"x-${index}":""`)
  expect(canonical(`{"verb":{"display":{${display.join(',')}}}}`, ['x-7'])).toBe('{"verb":{"display":{"x-7":""}}}')
})
