import type { Config } from '../../process/config/config.ts'
import type { LearnerKeys } from '../store/cell/named-learners.ts'
import { rulesFor } from '../xapi/dialect.ts'
import { agentKey, relatedAgentKey } from '../xapi/identify.ts'
import { agentParameter } from '../xapi/parameters.ts'
import { Problem } from '../../process/problem.ts'
import type { Actor } from '../xapi/types.ts'
import { isUuid } from '../xapi/values.ts'

export interface Learner extends LearnerKeys {
  /** JSON of the identifier alone. */
  readonly identifier: string
}

/** The keys by which an agent, or a team with the same account, is found. @throws Problem */
export function learnerOf(
  json: string,
  { dialect, authorityHome }: Pick<Config, 'dialect' | 'authorityHome'>,
): Learner {
  const { agent, key, relatedKey, identifier } = agentParameter(json, 'agent', rulesFor('1.0.3', dialect))
  if (identifier === undefined) throw new Problem('agent', 'must have an identifier: a Group without one is not known')
  return { key, relatedKey, identifier, account: learnerAccount(agent, authorityHome) }
}

/** UUID of the account, if the player made it. */
export function learnerAccount({ account }: Actor, authorityHome: string): string | undefined {
  return account?.homePage === `${authorityHome}/learners` && isUuid(account.name) ? account.name : undefined
}

/** Keys of the agent whose account the player made. */
export function learnerKeys(account: string, { authorityHome }: Pick<Config, 'authorityHome'>): LearnerKeys {
  const agent = { account: { homePage: `${authorityHome}/learners`, name: account } }
  return { key: agentKey(agent)!, relatedKey: relatedAgentKey(agent)!, account }
}
