import { expect, test } from 'vitest'
import { whoIs } from './pupil-names.ts'

const pupils = [
  { name: 'Zoë', picture: 3 },
  { name: 'Anna-Lena Groß', picture: null },
  { name: 'Ben (2)', picture: 1 },
  { name: 'Łukasz', picture: 2 },
  { name: '小明', picture: 5 },
  { name: 'Mia', picture: 4 },
  { name: 'Mía', picture: 6 },
]

test.each([
  ['zoe', 3, 'Zoë'],
  [' ZOË ', 3, 'Zoë'],
  ['zoë', 4, 'wrong'],
  ['anna lena gross', 9, 'Anna-Lena Groß'],
  ['annalenagroß', 0, 'Anna-Lena Groß'],
  ['ben 2', 1, 'Ben (2)'],
  ['ben', 1, 'unknown'],
  ['łukasz', 2, 'Łukasz'],
  ['小明', 5, '小明'],
  ['mia', 4, 'Mia'],
  ['mia', 6, 'Mía'],
  ['mia', 7, 'wrong'],
  ['', 0, 'unknown'],
  ['💥', 0, 'unknown'],
])('%j with picture %d is %s', (typed, picture, who) => {
  const found = whoIs(pupils, typed, picture)
  expect(typeof found === 'string' ? found : found.name).toBe(who)
})
