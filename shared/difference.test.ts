import { expect, test } from 'vitest'
import { difference, missing } from './difference.ts'

// Newcombe, Statistics in Medicine 17 (1998), table II, method 10
test.each([
  [56, 70, 48, 80, 0.0524, 0.3339],
  [9, 10, 3, 10, 0.1705, 0.809],
  [6, 7, 2, 7, 0.0582, 0.8062],
  [5, 56, 0, 29, -0.0381, 0.1926],
  [0, 10, 0, 20, -0.1611, 0.2775],
  [10, 10, 0, 20, 0.6791, 1],
  [10, 10, 0, 10, 0.6075, 1],
])('%i of %i against %i of %i lies between %f and %f', (part, whole, before, all, low, high) => {
  const found = difference({ part: before, whole: all }, { part, whole })
  expect(found.change).toBeCloseTo(part / whole - before / all, 9)
  expect(found.low).toBeCloseTo(low, 4)
  expect(found.high).toBeCloseTo(high, 4)
})

// of the first numbers that are certain, by an independent program
test.each([
  [41, 100, 28, 50, 24],
  [1, 4, 2, 4, undefined],
  [56, 70, 48, 80, 0],
  [0, 20, 2, 2, 8],
])('%i of %i against %i of %i: %s more values make it certain', (before, all, part, whole, more) => {
  expect(missing({ part: before, whole: all }, { part, whole })).toBe(more)
})
