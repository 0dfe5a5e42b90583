import { Problem } from '../problem.ts'

/**
 * Checks the fields of one form and returns what each check returns.
 * @throws Problem: the first one, with those of the other fields as its `further`
 */
export function checkAll<Results extends unknown[]>(
  ...checks: { [Index in keyof Results]: () => Results[Index] }
): Results {
  const problems: Problem[] = []
  const results = checks.map((check) => {
    try {
      return check()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problems.push(new Problem(error.place, error.said, error.rule), ...error.further)
      return undefined
    }
  })
  const [first, ...further] = problems
  if (first) throw new Problem(first.place, first.said, first.rule, further)
  return results as Results
}
