import { fresh, type Caller } from '../caller.ts'
import type { Config } from '../config.ts'
import type { Store } from '../store/store.ts'
import { agentKey } from '../xapi/identify.ts'
import type { AgentParameter } from '../xapi/parameters.ts'
import { visitAgents } from '../xapi/terms.ts'
import type { Statement } from '../xapi/types.ts'
import { learnerAccount } from './learner.ts'

/** Of the statements of a game that name an agent, so many, and bytes of them, are read for its names: the latest. */
const latest = { ascending: false, limit: 100, bytes: 256 * 1024 }
/** As many as a Person has otherwise. */
const mostNames = 100

/**
 * Names by which the caller's own game knows an agent, as JSON strings, the oldest first: what its own statements tell.
 * Undefined when it knows the agent neither from those nor from a session. Other games' statements are not looked at.
 */
export async function namesInOwnGame(
  { store, config }: { store: Pick<Store, 'statements' | 'launches'>; config: Pick<Config, 'authorityHome'> },
  caller: Caller,
  { agent, key, relatedKey }: AgentParameter,
): Promise<string[] | undefined> {
  const reader = { ...caller, actor: undefined, everything: false }
  const { statements } = fresh(await store.statements.page(reader, { agent: key, relatedAgent: relatedKey }, latest))
  const names = new Set<string>()
  for (const { body } of statements.toReversed()) {
    visitAgents(JSON.parse(body.toString()) as Statement, (one) => {
      if (one.name !== undefined && agentKey(one) === key) names.add(JSON.stringify(one.name))
    })
  }
  if (statements.length > 0 || caller.learner?.agent === key) return [...names].slice(-mostNames)
  const account = learnerAccount(agent, config.authorityHome)
  return account !== undefined && (await store.launches.isLearnerOf(caller.game, account)) ? [] : undefined
}
