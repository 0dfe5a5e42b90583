import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { GetResultResponseSchema } from '../../../../gen/lrs/v1/launches_pb.js'
import { inEnglish } from '../../../web/say.ts'
import { resultInWords } from './end.ts'

test.each([
  [{ raw: 17.04, max: 20 }, 'Completed · 17 of 20'],
  [{ scaled: 0.8567 }, 'Completed · 85.7 %'],
  [{ scaled: -0.0001 }, 'Completed · 0 %'],
  [{ raw: 1e308 }, 'Completed · 1e+308 points'],
])('the score %o', (score, words) => {
  expect(resultInWords(inEnglish, create(GetResultResponseSchema, { completion: true, score }))).toBe(words)
})
