import type { Expired, RetentionReceipt } from '../../gen/lrs/v1/retention_pb.js'
import { command } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { Failed } from '../failed.ts'
import { gameIdOf } from '../name-game.ts'
import { list, number, table, time } from '../show.ts'

const timeoutMs = 10 * 60_000
const months = 'months, or "forever"'

/** One of the commands for games. */
export const retention = command({
  about: 'show or set how long data of a game is kept; without options: show it, with receipts',
  takes: { '<game>': 'id or slug (the name in URLs)' },
  options: {
    '--statements <months>': `how long statements of learners are kept: ${months}`,
    '--learners <months>': `how long learners are kept who were not seen: ${months}`,
    '--sandbox <months>': `how long data of the sandbox is kept: ${months}`,
    '--preview': 'count what would go, change nothing',
    '--yes': 'do not ask',
  },
  examples: ['games retention chess', 'games retention chess --statements 24 --preview'],
  async run(core, { game, statements, learners, sandbox, preview, yes }, session) {
    const gameId = await gameIdOf(core, game)
    const found = await core.retention.getRetention({ gameId })
    const { statementMonths, learnerMonths, sandboxMonths } = found.retention!
    if ([statements, learners, sandbox].every((one) => one === undefined)) {
      const count =
        (name: keyof Counts) =>
        ({ expired }: RetentionReceipt) =>
          expired ? number(expired[name]) : ''
      const receipts = table(found.receipts, 'Nothing was removed yet.', {
        'began (UTC)': ({ began }) => time(began),
        'ended (UTC)': ({ ended }) => (ended === 0n ? 'under way' : time(ended)),
        statements: count('statements'),
        learners: count('learners'),
        documents: count('documents'),
        'of the sandbox': count('sandboxStatements'),
        'its documents': count('sandboxDocuments'),
      })
      return { json: found, text: `${kept(statementMonths, learnerMonths, sandboxMonths)}\n${receipts}` }
    }
    const wanted = {
      statementMonths: monthsOf(statements, statementMonths),
      learnerMonths: monthsOf(learners, learnerMonths),
      sandboxMonths: monthsOf(sandbox, sandboxMonths),
    }
    const patience = { timeoutMs, signal: session.ending }
    const json = await core.retention.previewRetention({ gameId, retention: wanted }, patience)
    const words = `${kept(wanted.statementMonths, wanted.learnerMonths, wanted.sandboxMonths)}\n${counts(json.expired!)}`
    if (preview) return { json, text: `${words}\nNothing was changed.` }
    session.note(words)
    await confirmed(session, yes, `Remove this from ${game} for good, and each day what gets older?`)
    await core.retention.setRetention({ gameId, retention: wanted })
    return { json, text: `It is set. Removing begins within a minute: "games retention ${game}" shows the receipt.` }
  },
})

type Counts = Pick<Expired, 'statements' | 'learners' | 'documents' | 'sandboxStatements' | 'sandboxDocuments'>

const kept = (statements: number, learners: number, sandbox: number): string => {
  const words = (months: number) => (months === 0 ? 'kept for good' : `kept for ${months} months`)
  return list({ statements: words(statements), 'learners not seen': words(learners), sandbox: words(sandbox) })
}

const counts = (expired: Counts): string =>
  list({
    statements: number(expired.statements),
    learners: number(expired.learners),
    documents: number(expired.documents),
    'statements of the sandbox': number(expired.sandboxStatements),
    'documents of the sandbox': number(expired.sandboxDocuments),
  })

/** @throws Failed */
function monthsOf(text: string | undefined, now: number): number {
  if (text === undefined) return now
  if (text === 'forever') return 0
  if (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 120) return Number(text)
  throw new Failed(`${JSON.stringify(text)} is not a number of months from 1 to 120, or "forever".`, 2)
}
