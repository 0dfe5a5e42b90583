import { throwIfStale, type Caller } from '../access/caller.ts'
import { learnerAccount } from '../access/learner.ts'
import type { Config } from '../config.ts'
import type { Store } from '../store/store.ts'
import { agentKey } from '../xapi/identify.ts'
import type { AgentParameter } from '../xapi/parameters.ts'
import { parse } from '../xapi/parse.ts'
import { visitAgents } from '../xapi/terms.ts'
import type { Statement } from '../xapi/types.ts'

/** The number, and the bytes, of a game's latest statements that are read for the names of an agent. */
const latest = { ascending: false, limit: 100, bytes: 256 * 1024 }
/** The same limit as for a Person of all games. */
const mostNames = 100

/**
 * Names of an agent in the statements of the caller's game, as JSON strings, the oldest first. Undefined: neither these
 * statements nor a session of the game have the agent. Statements of other games are not read.
 */
export async function namesInOwnGame(
  { store, config }: { store: Pick<Store, 'statements' | 'launches'>; config: Pick<Config, 'authorityHome'> },
  caller: Caller,
  { agent, key, relatedKey }: AgentParameter,
): Promise<string[] | undefined> {
  const reader = { ...caller, actor: undefined, everything: false }
  const { statements } = throwIfStale(
    await store.statements.page(reader, { agent: key, relatedAgent: relatedKey }, latest),
  )
  const names = new Set<string>()
  for (const { body } of statements.toReversed()) {
    visitAgents(parse(body.toString()) as Statement, (one) => {
      if (one.name !== undefined && agentKey(one) === key) names.add(JSON.stringify(one.name))
    })
  }
  if (statements.length > 0 || caller.learner?.agent === key) return [...names].slice(-mostNames)
  const account = learnerAccount(agent, config.authorityHome)
  return account !== undefined && (await store.launches.isLearnerOf(caller.game, account)) ? [] : undefined
}
