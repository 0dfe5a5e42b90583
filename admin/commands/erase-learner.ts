import type { EraseLearnerResponse } from '../../gen/lrs/v1/admin_pb.js'
import { agentOf } from '../agent.ts'
import { command } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { Failed } from '../failed.ts'
import { list, microTime, number } from '../show.ts'

const timeoutMs = 10 * 60_000

export const eraseLearner = command({
  about: 'erase all data about a learner for good and show the receipt',
  takes: { '<agent>': 'JSON of the Agent, an e-mail address, or homePage|name' },
  options: { '--preview': 'only count what would be erased', '--yes': 'do not ask' },
  examples: ['learners erase ann@example.org --preview', 'learners erase ann@example.org'],
  async run({ admin }, { agent: named, preview = false, yes }, session) {
    const agent = agentOf(named)
    const patience = { timeoutMs, signal: session.ending }
    if (preview || !yes) {
      const counted = await admin.eraseLearner({ agent, preview: true }, patience)
      if (preview) return { json: counted, text: `${countsOf(counted)}\nNothing was changed.` }
      requireSome(counted, agent)
      session.note(countsOf(counted))
      await confirmed(session, yes, `Erase all this data about ${agent} for good?`)
    }
    const erased = await admin.eraseLearner({ agent }, patience)
    requireSome(erased, agent)
    const receipt = list({ receipt: erased.receiptId, erased: `${microTime(erased.erased)} UTC` })
    const text = `${receipt}\n${countsOf(erased)}\nKeep the receipt: it does not identify the learner.`
    return { json: erased, text }
  },
})

/** The agent may be mistyped, so a script must not take this for an erasure. @throws Failed */
function requireSome(counts: EraseLearnerResponse, agent: string): void {
  if (countsIn(counts).every(([, count]) => count === 0n))
    throw new Failed(`There is no data about ${agent}: nothing was erased. Check the identifier.`)
}

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
