import type { Learner } from '../access/learner.ts'
import type { HeldDocument } from '../store/cell/learner-data.ts'
import type { NamingStatement } from '../store/cell/named-learners.ts'
import type { Consent } from '../store/directory/own-data.ts'
import type { HeldAccount } from '../store/directory/learners.ts'
import type { Store } from '../store/store.ts'
import { exact } from '../xapi/exact.ts'
import { isOwn } from '../xapi/forget.ts'
import { parse } from '../xapi/parse.ts'
import { personOf } from '../xapi/person.ts'
import type { Statement } from '../xapi/types.ts'

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

/** Everything that is held on an agent, in all games: what is known, statements, documents. */
export async function* heldOn(
  { learnerData, learners, ownData }: Pick<Store, 'learnerData' | 'learners' | 'ownData'>,
  learner: Learner,
): AsyncGenerator<Held> {
  const [names, account, consents] = await Promise.all([
    learnerData.names(learner),
    learners.account(learner),
    learner.account === undefined ? [] : ownData.consents(learner.account),
  ])
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
