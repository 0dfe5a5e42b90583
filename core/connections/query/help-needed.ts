import { getAnswers } from '../../analytics/query/answers.ts'
import { mostHelped } from '../../analytics/rules/facts/sums.ts'
import { agentIdentifier } from '../../records/xapi/identify.ts'
import { parse } from '../../records/xapi/json.ts'
import type { Agent } from '../../records/xapi/types.ts'
import type { Core } from '../../context.ts'
import { agentPseudonym } from '../export/pseudonyms.ts'

const parts = new Set(['help' as const])

/**
 * Who needs help in a game, by pseudonym.
 * @param studio must own the game; undefined: any game
 * @param keyOf the key of the game's pseudonyms
 * @throws Refusal 'not-found'
 */
export async function helpNeeded(
  core: Core,
  studio: number | undefined,
  gameId: string,
  keyOf: (gameId: string) => Promise<Uint8Array>,
) {
  const today = new Date().toISOString().slice(0, 10)
  const { answers } = await getAnswers(core, studio, { gameId, from: today, to: today, sandbox: false, parts })
  const pseudonymOf = agentPseudonym(await keyOf(gameId))
  const help = answers?.help ?? []
  return {
    learners: help.slice(0, mostHelped).map(({ agent, last, iri, name, attempts }) => ({
      pseudonym: pseudonymOf(agentIdentifier(parse(agent) as Agent)!),
      lastSeen: last,
      activityId: iri,
      level: name,
      attempts,
    })),
    more: help.length > mostHelped,
    complete: !answers || (answers.behind === 0 && !answers.recounting),
  }
}
