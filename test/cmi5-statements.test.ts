import { expect, test } from 'vitest'
import { follows, statementOf } from '../portal/public/cmi5-statements.js'

const normal = { launchMode: 'Normal' }
const mastery = { launchMode: 'Normal', masteryScore: 0.8 }
const score = (scaled: number) => ({ score: { scaled } })

/** What the game says of itself, one after the other, and what is sent for it. */
test.for([
  ['completed, once', normal, [['completed'], ['completed']], ['completed']],
  ['passed, once, and then not failed', normal, [['passed'], ['failed'], ['passed']], ['passed']],
  ['failed, once, and then not passed', normal, [['failed'], ['passed']], ['failed']],
  ['without a mastery score the game judges', normal, [['completed', { success: true }]], ['completed', 'passed']],
  ['without a mastery score a score judges nothing', normal, [['completed', score(0.9)]], ['completed']],
  ['passed may complete, too', normal, [['passed', { completion: true }]], ['completed', 'passed']],
  ['the mastery score judges, from its very value', mastery, [['completed', score(0.8)]], ['completed', 'passed 0.8']],
  ['below it', mastery, [['completed', score(0.7999)]], ['completed', 'failed 0.7999']],
  ['a game that passes below the mastery score', mastery, [['passed', score(0.5)]], ['failed 0.5']],
  ['a game that fails above the mastery score', mastery, [['failed', score(0.9)]], ['passed 0.9']],
  ['without a score nothing is judged', mastery, [['passed'], ['completed', { success: true }]], ['completed']],
  ['a score is from 0 to 1', mastery, [['completed', score(-1)]], ['completed', 'failed 0']],
  [
    'in any order',
    mastery,
    [
      ['passed', score(1)],
      ['completed', score(0)],
    ],
    ['passed 1', 'completed'],
  ],
  ['browse', { ...mastery, launchMode: 'Browse' }, [['completed', score(1)], ['passed']], []],
  ['review', { ...mastery, launchMode: 'Review' }, [['completed', score(1)], ['failed']], []],
  ['others say nothing', normal, [['initialized'], ['terminated', null], ['progressed', 1]], []],
  ['completed in an earlier session', normal, [['completed', { success: true }]], ['passed'], ['completed']],
  ['passed in an earlier session', mastery, [['completed', score(0.1)]], ['completed'], ['passed']],
] as [string, object, [string, unknown?][], string[], string[]?][])('%s', ([, unit, says, sent, before = []]) => {
  const said = new Set(before)
  const found = says.flatMap(([verb, result]) =>
    follows({ verb, result }, unit, said).map((one) => {
      said.add(one.verb)
      return one.scaled === undefined ? one.verb : `${one.verb} ${one.scaled}`
    }),
  )
  expect(found).toEqual(sent)
})

const at = 'https://w3id.org/xapi/cmi5/context'
const grouping = [{ id: 'https://publisher.example/unit' }]
const own = { id: 'https://lms.example/category' }
const contextTemplate = {
  contextActivities: { grouping, category: [own] },
  extensions: { [`${at}/extensions/sessionid`]: 's-1' },
  platform: 'LMS',
}
const unit = {
  actor: {},
  activityId: 'https://lms.example/au',
  registration: 'r-1',
  contextTemplate,
  masteryScore: 0.8,
}
const [cmi5, moveOn] = ['cmi5', 'moveon'].map((name) => `${at}/categories/${name}`)

test.for([
  [{ verb: 'initialized' }, undefined, [cmi5]],
  [{ verb: 'completed' }, { completion: true, duration: 'PT61.50S' }, [cmi5, moveOn]],
  [{ verb: 'passed', scaled: 0.9 }, { success: true, score: { scaled: 0.9 }, duration: 'PT61.50S' }, [cmi5, moveOn]],
  [{ verb: 'failed', scaled: 0.1 }, { success: false, score: { scaled: 0.1 }, duration: 'PT61.50S' }, [cmi5, moveOn]],
  [{ verb: 'terminated' }, { duration: 'PT61.50S' }, [cmi5]],
] as const)('a statement: $0.verb', ([what, result, categories]) => {
  const isJudged = 'scaled' in what
  expect(statementOf(what, unit, 61.5)).toEqual({
    id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
    actor: unit.actor,
    verb: { id: `http://adlnet.gov/expapi/verbs/${what.verb}`, display: { en: what.verb } },
    object: { objectType: 'Activity', id: unit.activityId },
    ...(result && { result }),
    context: {
      platform: 'LMS',
      registration: 'r-1',
      contextActivities: { grouping, category: [own, ...categories.map((id) => ({ objectType: 'Activity', id }))] },
      extensions: {
        ...contextTemplate.extensions,
        ...(isJudged && { [`${at}/extensions/masteryscore`]: 0.8 }),
      },
    },
    timestamp: expect.stringMatching(/Z$/),
  })
})
