import type { Config } from '../config.ts'
import type { HeldAccount, HeldDocument, LearnerKeys, NamingStatement } from '../store/learners.ts'
import type { Store } from '../store/store.ts'
import { rulesFor } from '../xapi/dialect.ts'
import { isOwn } from '../xapi/forget.ts'
import { agentKey, relatedAgentKey } from '../xapi/identify.ts'
import { agentParameter } from '../xapi/parameters.ts'
import { parse } from '../xapi/parse.ts'
import { personOf } from '../xapi/person.ts'
import { Problem } from '../xapi/problem.ts'
import { exact } from '../xapi/exact.ts'
import type { Actor, Statement } from '../xapi/types.ts'
import { isUuid } from '../xapi/uuid.ts'

export interface Learner extends LearnerKeys {
  /** JSON of the identifier alone. */
  readonly identifier: string
}

/** How the agent of a request is found. @throws Problem */
export function learnerOf(json: string, { dialect, authorityHome }: Pick<Config, 'dialect' | 'authorityHome'>): Learner {
  const { agent, key, relatedKey, identifier } = agentParameter(json, 'agent', rulesFor('1.0.3', dialect))
  if (agent.objectType === 'Group') throw new Problem('agent', 'must be an Agent: a Group is not one learner')
  return { key, relatedKey, identifier, account: learnerAccount(agent, authorityHome) }
}

/** UUID of the account that the player made; undefined: the player did not make it. */
export function learnerAccount({ account }: Actor, authorityHome: string): string | undefined {
  return account?.homePage === `${authorityHome}/learners` && isUuid(account.name) ? account.name : undefined
}

/** Keys of the agent whose account the player made. */
export function learnerKeys(account: string, { authorityHome }: Pick<Config, 'authorityHome'>): LearnerKeys {
  const agent = { account: { homePage: `${authorityHome}/learners`, name: account } }
  return { key: agentKey(agent)!, relatedKey: relatedAgentKey(agent)!, account }
}

export type Held =
  | { readonly kind: 'learner'; readonly person: string; readonly account: HeldAccount | undefined }
  | { readonly kind: 'statement'; readonly statement: Omit<NamingStatement, 'body' | 'acts'> & { readonly json: string; readonly own: boolean } }
  | { readonly kind: 'document'; readonly document: HeldDocument }

/** Everything that is held on an agent, in all games: what is known, statements, documents. */
export async function* heldOn({ learners }: Pick<Store, 'learners'>, learner: Learner): AsyncGenerator<Held> {
  const [names, account] = await Promise.all([learners.names(learner), learners.account(learner)])
  yield { kind: 'learner', person: personOf(learner.identifier, names), account }
  for await (const page of learners.statements(learner)) {
    for (const { body, acts, ...statement } of page) {
      const json = exact({ body: Buffer.from(body), stored: statement.stored }).toString()
      yield { kind: 'statement', statement: { ...statement, json, own: acts || isOwn(parse(body) as Statement, learner.key) } }
    }
  }
  for await (const document of learners.documents(learner)) yield { kind: 'document', document }
}
