import {
  GetRetentionResponseSchema,
  PreviewRetentionResponseSchema,
  type Expired,
} from '../../gen/lrs/v1/retention_pb.js'
import { number } from '../amount.ts'
import { confirmed } from '../confirm.ts'
import { Failed } from '../failed.ts'
import { jsonOf } from '../json-of.ts'
import { gameIdOf } from '../name-game.ts'
import type { Work } from '../session.ts'
import { list, table, time } from '../show.ts'

interface Options {
  readonly statements?: string
  readonly learners?: string
  readonly sandbox?: string
  readonly preview?: true
  readonly yes?: true
}

const timeoutMs = 10 * 60_000

export const retention: Work<Options> = async (session, [game], { statements, learners, sandbox, preview, yes }) => {
  const core = await session.connect()
  const gameId = await gameIdOf(core, game!)
  const found = await core.retention.getRetention({ gameId })
  const { statementMonths, learnerMonths, sandboxMonths } = found.retention!
  if ([statements, learners, sandbox].every((one) => one === undefined)) {
    const rows = found.receipts.map(({ began, ended, expired }) => [
      time(began),
      ended === 0n ? 'under way' : time(ended),
      ...(expired ? countsIn(expired).map(([, count]) => number(count)) : ['', '', '', '', '']),
    ])
    const heads = [
      'began (UTC)',
      'ended (UTC)',
      'statements',
      'learners',
      'documents',
      'of the sandbox',
      'its documents',
    ]
    const text = `${kept(
      statementMonths,
      learnerMonths,
      sandboxMonths,
    )}\n${table(heads, rows, 'Nothing was removed yet.')}`
    return { json: jsonOf(GetRetentionResponseSchema, found), text }
  }
  const wanted = {
    statementMonths: monthsOf(statements, statementMonths),
    learnerMonths: monthsOf(learners, learnerMonths),
    sandboxMonths: monthsOf(sandbox, sandboxMonths),
  }
  const words = kept(wanted.statementMonths, wanted.learnerMonths, wanted.sandboxMonths)
  const counted = await core.retention.previewRetention(
    { gameId, retention: wanted },
    { timeoutMs, signal: session.ending },
  )
  const counts = list(countsIn(counted.expired!).map(([what, count]) => [what, number(count)]))
  const json = jsonOf(PreviewRetentionResponseSchema, counted)
  if (preview) return { json, text: `${words}\n${counts}\nNothing was changed.` }
  session.note(`${words}\n${counts}`)
  await confirmed(session, { yes }, `Remove this from ${game} for good, and each day what gets older?`)
  await core.retention.setRetention({ gameId, retention: wanted })
  return { json, text: `It is set. Removing begins within a minute: "games retention ${game}" shows the receipt.` }
}

const kept = (statements: number, learners: number, sandbox: number): string =>
  list(
    [['statements', statements] as const, ['learners not seen', learners] as const, ['sandbox', sandbox] as const].map(
      ([what, months]) => [what, months === 0 ? 'kept for good' : `kept for ${months} months`],
    ),
  )

const countsIn = (expired: Expired): [what: string, count: bigint][] => [
  ['statements', expired.statements],
  ['learners', expired.learners],
  ['documents', expired.documents],
  ['statements of the sandbox', expired.sandboxStatements],
  ['documents of the sandbox', expired.sandboxDocuments],
]

/** @throws Failed */
function monthsOf(text: string | undefined, now: number): number {
  if (text === undefined) return now
  if (text === 'forever') return 0
  if (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 120) return Number(text)
  throw new Failed(`${JSON.stringify(text)} is not a number of months from 1 to 120, or "forever".`, 2)
}
