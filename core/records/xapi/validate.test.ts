import { describe, expect, test } from 'vitest'
import { statementCases } from '../../../test/cases/expand.ts'
import { rulesFor } from './dialect.ts'
import type { Version } from './dialect.ts'
import { Problem } from '../../process/problem.ts'
import { validateStatement } from './validate.ts'

const path = 'statements[3]'

function problemOf(statement: unknown, version: Version, at = path): Problem | undefined {
  try {
    validateStatement(statement, at, rulesFor(version, 'games'))
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

const below = (place: string) => (place === '' || place.startsWith('[') ? path + place : `${path}.${place}`)

describe.each(['1.0.3', '2.0.0'] as const)('statement rules of %s', (version) => {
  const cases = statementCases().filter((one) => one.versions.includes(version))

  test.each(cases)('$requirement: $about', ({ statement, expect: expected }) => {
    const problem = problemOf(statement, version)
    if (expected === 'ok') return expect(problem?.message).toBeUndefined()
    expect(problem?.path).toBe(below(expected.path))
    expect(problem?.what).toContain(expected.what ?? '')
  })
})

describe('validateStatement', () => {
  const statement = {
    verb: { id: 'https://games.example.org/verbs/won' },
    object: { id: 'https://games.example.org/chess' },
  }

  test('at the root of the input paths start with the property', () => {
    const actor = { mbox: 'ann' }
    expect(problemOf({ ...statement, actor }, '1.0.3', '')?.message).toBe(
      'actor.mbox: must be a mailto IRI such as "mailto:ann@example.org", not "ann"',
    )
  })

  test('what came from outside is shortened in the message', () => {
    const problem = problemOf({ ...statement, actor: { mbox: 'x'.repeat(1e6) } }, '1.0.3')
    expect(problem?.message.length).toBeLessThan(300)
    expect(problemOf({ ['y'.repeat(1e6)]: 1 }, '1.0.3')?.message.length).toBeLessThan(400)
  })
})
