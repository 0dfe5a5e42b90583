import { randomInt } from 'node:crypto'

const digits = 6
const codes = 10 ** digits

/** The code of a lesson, for instance `042917`. */
export const newLessonCode = (random: (below: number) => number = randomInt): string =>
  String(random(codes)).padStart(digits, '0')

/** The code as it was made, however it was typed; undefined: it is none. */
export function lessonCode(typed: string): string | undefined {
  const code = typed.normalize('NFKC').replaceAll(/[\s.-]/g, '')
  return /^\d{6}$/.test(code) ? code : undefined
}

/** A number below `count` that is not among the used ones, as long as there is one. */
export function freeNumber(count: number, used: readonly number[], random = randomInt): number {
  const all = Array.from({ length: count }, (_, n) => n)
  const free = all.filter((n) => !used.includes(n))
  const from = free.length > 0 ? free : all
  return from[random(from.length)]!
}
