import { expect, test } from 'vitest'
import { durationMs } from './duration.ts'

test.each([
  ['PT0S', 0],
  ['PT1H2M3.25S', 3_723_250],
  ['P1DT1S', 86_401_000],
  ['P2W', 1_209_600_000],
  ['P0Y0M1D', 86_400_000],
  ['PT1,5M', 90_000],
  ['PT0.0004S', 0],
  ['P1M', 2_592_000_000],
  ['P1Y', 31_536_000_000],
  ['P2Y', undefined],
])('the duration %s has %s milliseconds, up to a year', (duration, milliseconds) => {
  expect(durationMs(duration, 366 * 86_400_000)).toBe(milliseconds)
})
