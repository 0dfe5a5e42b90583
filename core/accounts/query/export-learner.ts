import type { Learner } from '../../records/access/learner.ts'
import type { HeldDocument } from '../../records/store/cell/learner-data.ts'
import type { NamingStatement } from '../../records/store/cell/named-learners.ts'
import type { Consent } from '../store/own-data.ts'
import type { HeldAccount } from '../../games/store/learners.ts'
import type { Store } from '../../store.ts'
import type { Tenancy } from '../../records/xapi/dialect.ts'
import { exact } from '../../records/xapi/exact.ts'
import { isOwn } from '../../records/xapi/forget.ts'
import { parse } from '../../records/xapi/json.ts'
import { namesIn, personOf } from '../../records/xapi/person.ts'
import type { Statement } from '../../records/xapi/types.ts'

export type Held =
  | {
      readonly kind: 'learner'
      readonly person: string
      readonly account: HeldAccount | undefined
      readonly consents: readonly Consent[]
    }
  | {
      readonly kind: 'statement'
      readonly statement: Omit<NamingStatement, 'body' | 'acts'> & { readonly json: string; readonly own: boolean }
    }
  | { readonly kind: 'document'; readonly document: HeldDocument }

/**
 * Everything that is held on an agent, in all games or in some: what is known, statements, documents.
 * @param tenancy of the service: whether some games see the names that others tell
 */
export async function* heldOn(
  { learnerData, learners, ownData }: Pick<Store, 'learnerData' | 'learners' | 'ownData'>,
  learner: Learner,
  tenancy: Tenancy,
): AsyncGenerator<Held> {
  const isApart = learner.only !== undefined && tenancy === 'isolated'
  const [names, account] = await Promise.all([
    isApart ? namesTold({ learnerData }, learner) : learnerData.names(learner),
    learners.account(learner),
  ])
  const consents = account ? await ownData.consents(learner.account!) : []
  yield { kind: 'learner', person: personOf(learner.identifier, names), account, consents }
  for await (const page of learnerData.statements(learner)) {
    for (const { body, acts, ...statement } of page) {
      const json = exact({ body: Buffer.from(body), stored: statement.stored }).toString()
      yield {
        kind: 'statement',
        statement: { ...statement, json, own: acts || isOwn(parse(body) as Statement, learner.key) },
      }
    }
  }
  for await (const document of learnerData.documents(learner)) yield { kind: 'document', document }
}

/** Names that the statements of these games tell, as JSON strings. */
async function namesTold({ learnerData }: Pick<Store, 'learnerData'>, learner: Learner): Promise<string[]> {
  const names = new Set<string>()
  for await (const page of learnerData.statements(learner)) {
    for (const { body } of page) for (const name of namesIn(body, learner.key)) names.add(name)
  }
  return [...names]
}
