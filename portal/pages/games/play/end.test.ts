import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { GetResultResponseSchema } from '../../../../gen/lrs/v1/launches_pb.js'
import { inEnglish } from '../../../web/say.ts'
import { starsOf } from '../../parts/level-stars.ts'
import { resultInWords } from './end.ts'

test.each([
  [{ raw: 17.04, max: 20 }, 'Finished · 17 of 20'],
  [{ scaled: 0.8567 }, 'Finished · 85.7 %'],
  [{ scaled: -0.0001 }, 'Finished · 0 %'],
  [{ raw: 1e308 }, 'Finished · 1e+308 points'],
])('the score %o', (score, words) => {
  expect(resultInWords(inEnglish, create(GetResultResponseSchema, { completion: true, score }))).toBe(words)
})

test.each([
  [0, { done: 0, best: 1 }],
  [1, { done: 1, best: 0.49 }],
  [2, { done: 2, best: 0.5 }],
  [3, { done: 1, best: 0.8 }],
  [3, { done: 1 }],
])('%i stars for %o', (stars, level) => expect(starsOf(level)).toBe(stars))
