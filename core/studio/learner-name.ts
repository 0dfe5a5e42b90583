import { Problem } from '../xapi/problem.ts'

const longest = 100

/** What people call a learner, tidied. @throws Problem */
export function learnerName(given: string, path = 'learner_name'): string {
  const name = given.normalize('NFC').replace(/\s+/g, ' ').trim()
  if (name === '') throw new Problem(path, 'must not be empty: what shall the learner be called?')
  if (name.length > longest) throw new Problem(path, `must be at most ${longest} characters`)
  if (/[\p{Cc}\p{Cs}\p{Co}\u202a-\u202e\u2066-\u2069]/u.test(name)) throw new Problem(path, 'must not hold control characters')
  return name
}
