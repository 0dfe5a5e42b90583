import { readFile } from 'node:fs/promises'
import { command } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { Failed } from '../failed.ts'
import { filtered, related, statementFilterOf, timed } from '../filter.ts'
import { gameIdOf } from '../name-game.ts'
import { amount, list, number, table, time } from '../show.ts'

const timeoutMs = 10 * 60_000
const ofGame = { '--game <game>': { about: 'id or slug of the game', required: true } } as const

export const deleteStatements = command({
  about: 'delete statements that were sent by mistake: counts, asks, and begins',
  options: {
    ...ofGame,
    ...filtered,
    ...related,
    ...timed,
    '--ids <file>': 'a file with ids of single statements, in place of filters; - is stdin',
    '--sandbox': 'what sandbox sessions sent, in place of what learners did',
    '--reason <text>': 'why, for the receipt; name no learner',
    '--dry-run': 'count only',
    '--yes': 'do not ask',
  },
  examples: [
    'statements delete --game chess --verb http://adlnet.gov/expapi/verbs/failed --since 2026-11-01T00:00:00Z --dry-run',
    'statements delete --game chess --ids wrong.txt --reason "sent by a test"',
  ],
  async run(core, { game, ids, sandbox, reason = '', dryRun, yes, ...filters }, session) {
    if (!dryRun && reason.trim() === '') throw new Failed('--reason is needed: say why, for the receipt.', 2)
    const patience = { timeoutMs, signal: session.ending }
    const gameId = await gameIdOf(core, game)
    const named = ids === undefined ? '' : await readFile(ids === '-' ? '/dev/stdin' : ids, 'utf8')
    const of = { gameId, sandbox, filters: statementFilterOf(filters), ids: named.split(/[\s,]+/).filter(Boolean) }
    const found = await core.deletions.previewDeletion({ of }, patience)
    const { statements, voided, first, last, through } = found
    const counts = list({
      statements: number(statements),
      'of them voided, gone with what voided them': voided === 0 ? '' : number(voided),
      'first stored (UTC)': time(first),
      'last stored (UTC)': time(last),
    })
    if (dryRun) return { json: found, text: `${counts}\nNothing was changed.` }
    session.note(counts)
    if (statements === 0) throw new Failed('No statement is found: there is nothing to delete.')
    await confirmed(session, yes, `Delete ${amount(statements, 'statement')} from ${game} for good?`)
    const json = await core.deletions.startDeletion({ of, through, statements, reason }, patience)
    return { json, text: `It has begun: "statements deletions --game ${game}" shows the receipt.` }
  },
})

export const listDeletions = command({
  about: 'list the receipts of deletions, or the ids of one',
  options: {
    ...ofGame,
    '--ids <deletion>': 'list the ids that it has removed',
    '--forward <forward>': 'with --ids: those that this forward may have sent',
  },
  examples: ['statements deletions --game chess'],
  async run(core, { game, ids: deletionId, forward: forwardId }, session) {
    if (deletionId !== undefined) {
      for await (const { ids } of core.deletions.listDeletedIds({ deletionId, forwardId }, { timeoutMs }))
        await session.write(ids.map((id) => `${id}\n`).join(''))
      return
    }
    const found = await core.deletions.listDeletions({ gameId: await gameIdOf(core, game) })
    const text = table(found.deletions, 'Nothing was deleted yet.', {
      deletion: (one) => one.deletionId,
      'began (UTC)': ({ began }) => time(began),
      'ended (UTC)': ({ ended }) => (ended === 0n ? 'under way' : time(ended)),
      statements: ({ statements }) => number(statements),
      who: ({ by }) => by,
      why: ({ reason }) => reason,
      forwards: ({ forwarded }) =>
        forwarded.map(({ forwardId, statements }) => `${forwardId}: ${statements}`).join(', '),
    })
    return { json: found, text }
  },
})
