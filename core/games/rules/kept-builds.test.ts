import { describe, expect, test } from 'vitest'
import { rollbackTarget } from './kept-builds.ts'

const build = (number: number) => ({ id: 10 + number, buildId: `uuid-${number}`, number })
const refusal = (message: RegExp) => ({ refused: expect.stringMatching(message) })

describe('what a rollback makes live', () => {
  test('the last replaced build', () => {
    expect(rollbackTarget(3, [build(2), build(1)], '')).toEqual(build(2))
  })
  test('a second rollback goes further back, not forward to the build that was rolled back', () => {
    expect(rollbackTarget(2, [build(3), build(1)], '')).toEqual(build(1))
    expect(rollbackTarget(1, [build(2), build(3)], '')).toEqual(refusal(/No kept build is older .* such as uuid-2\./))
  })
  test('any kept build that is named, also a newer one', () => {
    expect(rollbackTarget(1, [build(2), build(3)], 'uuid-3')).toEqual(build(3))
    expect(rollbackTarget(3, [build(2)], 'uuid-1')).toEqual(refusal(/This build is not kept/))
  })
  test('nothing, if none is kept', () => {
    expect(rollbackTarget(1, [], '')).toEqual(refusal(/No replaced build is kept/))
  })
})
