import { EraseLearnerResponseSchema, type EraseLearnerResponse } from '../../gen/lrs/v1/admin_pb.js'
import { agentOf } from '../agent.ts'
import { number } from '../amount.ts'
import { confirmed } from '../confirm.ts'
import { Failed } from '../failed.ts'
import { jsonOf } from '../json-of.ts'
import type { Work } from '../session.ts'
import { list, microTime } from '../show.ts'

const timeoutMs = 10 * 60_000

export const eraseLearner: Work<{ preview?: true; yes?: true }> = async (
  session,
  [named],
  { preview = false, yes },
) => {
  const agent = agentOf(named!)
  const { admin } = await session.connect()
  const answer = (response: EraseLearnerResponse, text: string) => ({
    json: jsonOf(EraseLearnerResponseSchema, response),
    text,
  })
  if (preview || !yes) {
    const counted = await admin.eraseLearner({ agent, preview: true }, { timeoutMs, signal: session.ending })
    if (preview) return answer(counted, `${countsOf(counted)}\nNothing was changed.`)
    if (isNothing(counted)) throw nobody(agent)
    session.note(countsOf(counted))
    await confirmed(session, { yes }, `Erase all this data about ${agent} for good?`)
  }
  const erased = await admin.eraseLearner({ agent }, { timeoutMs, signal: session.ending })
  if (isNothing(erased)) throw nobody(agent)
  return answer(
    erased,
    `${list([
      ['receipt', erased.receiptId],
      ['erased', `${microTime(erased.erased)} UTC`],
    ])}\n${countsOf(erased)}\nKeep the receipt: it does not identify the learner.`,
  )
}

const isNothing = (counts: EraseLearnerResponse): boolean => countsIn(counts).every(([, count]) => count === 0n)

/** The agent may be mistyped, so a script must not take this for an erasure. */
const nobody = (agent: string): Failed =>
  new Failed(`There is no data about ${agent}: nothing was erased. Check the identifier.`)

const countsIn = (counts: EraseLearnerResponse): [what: string, count: bigint][] => [
  ['statements', counts.statements],
  ['statements of others, with a pseudonym', counts.pseudonymised],
  ['state documents', counts.states],
  ['agent profile documents', counts.agentProfiles],
  ['names', counts.names],
  ['index entries', counts.postings],
  ['contents of attachments', counts.attachments],
  ['accounts of the player', counts.accounts],
  ['games', counts.games],
]

const countsOf = (counts: EraseLearnerResponse): string =>
  list(countsIn(counts).map(([what, count]) => [what, number(count)]))
