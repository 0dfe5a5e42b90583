import { describe } from '../parts/describe.ts'
import { learnerIn, learnerText, type StatementJson, type Telling } from './statement.ts'

/** Names for the filters in use, from the statements that were found with them. */
export function namesOfFilters(
  json: readonly string[],
  { agent, verb, activity }: Readonly<Record<string, string>>,
  { languages, game }: Telling,
): Readonly<Record<string, string>> {
  const names: Record<string, string> = {}
  for (const statement of json.map((one) => JSON.parse(one) as StatementJson)) {
    const { who, did, what } = describe(statement, languages, game)
    const learner = learnerText(statement.actor)
    if (agent !== undefined && learner !== undefined && learnerIn(learner) === learnerIn(agent)) names['agent'] ??= who
    if (verb === statement.verb.id) names['verb'] ??= did
    if (activity !== undefined && activity === statement.object.id) names['activity'] ??= what
  }
  return names
}
