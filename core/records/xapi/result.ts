import { at, checkBoolean, checkNumber, checkObject, checkString, fail, unknown, wrong } from './check.ts'
import { isDuration } from './duration.ts'
import { checkExtensions } from './extensions.ts'
import type { Result, Score } from './types.ts'

/** A result (xAPI Data 2.4.5). */
export function checkResult(value: unknown, path: string): asserts value is Result {
  checkObject(value, path, 'a Result')
  for (const key in value) {
    switch (key) {
      case 'score':
        checkScore(value[key], at(path, key))
        break
      case 'success':
      case 'completion':
        checkBoolean(value[key], path, key)
        break
      case 'response':
        checkString(value[key], path, key)
        break
      case 'duration':
        checkDuration(value[key], at(path, key))
        break
      case 'extensions':
        checkExtensions(value[key], path)
        break
      default:
        unknown(path, key, 'a Result', 'score, success, completion, response, duration and extensions')
    }
  }
}

function checkDuration(value: unknown, path: string): void {
  if (typeof value !== 'string' || !isDuration(value)) {
    wrong(value, path, 'an ISO 8601 duration such as "PT1H30M5.2S" (weeks stand alone: "P4W")')
  }
}

function checkScore(value: unknown, path: string): asserts value is Score {
  checkObject(value, path, 'a Score')
  for (const key in value) {
    if (key === 'scaled' || key === 'raw' || key === 'min' || key === 'max') checkNumber(value[key], path, key)
    else unknown(path, key, 'a Score', 'scaled, raw, min and max')
  }
  const { scaled, raw, min, max } = value as Score
  if (scaled !== undefined && (scaled < -1 || scaled > 1)) {
    fail(at(path, 'scaled'), `must be between -1 and 1, not ${scaled}`)
  }
  if (min !== undefined && max !== undefined && min >= max) {
    fail(at(path, 'min'), `must be less than max (${max}), not ${min}`)
  }
  if (raw === undefined) return
  if (min !== undefined && raw < min) fail(at(path, 'raw'), `must be at least min (${min}), not ${raw}`)
  if (max !== undefined && raw > max) fail(at(path, 'raw'), `must be at most max (${max}), not ${raw}`)
}
