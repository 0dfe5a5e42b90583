import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ExportFormat } from '../../gen/lrs/v1/exports_pb.js'
import type { GetAnswersResponse } from '../../gen/lrs/v1/answers_pb.js'
import type { GetInsightsResponse } from '../../gen/lrs/v1/insights_pb.js'
import type { Game } from '../support/games.ts'
import { analyst } from '../support/parquet.ts'
import { tokens, type System } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'
import { recountedAnswers, toldAnswers } from './answers.ts'
import { recounted, told } from './figures.ts'
import { randomOf, sessionOf } from './serious-game.ts'

export interface RecountOptions {
  /** Number of statements that are sent, about. */
  readonly statements: number
  /** Number of days on which they are sent; today is the last. */
  readonly days: number
  readonly seed?: number
  /** Says how far it is. */
  readonly log?: (line: string) => void
}

const batch = 250

/**
 * Sends statements of a serious game to a system, takes them out as Parquet, counts them with DuckDB, and returns both
 * what the charts say and what DuckDB has counted: they have to be equal.
 */
export async function recount(system: System, { statements, days, seed = 1, log = () => {} }: RecountOptions) {
  const admin = system.connections[0]!.as(bearer(tokens.admin))
  const game = await system.game()
  const folder = await mkdtemp(join(tmpdir(), 'lrs-recount-'))
  try {
    const sent = await seedGame(system, game, { statements, days, seed })
    log(`${sent} statements were stored`)
    const [from, to] = [days - 1, 0].map(dayAgo)
    let insights: GetInsightsResponse
    do insights = await admin.insights.getInsights({ gameId: game.id, from, to })
    while (!insights.complete)
    let answers: GetAnswersResponse
    do answers = await admin.answers.getAnswers({ gameId: game.id, from, to })
    while (!answers.complete)
    log('the charts have counted them')
    for (let ago = days - 1; ago >= 0; ago--) await exportDay(admin.exports, game, dayAgo(ago), folder)
    log('they were exported')
    const sql = await analyst(folder)
    try {
      const answered = answers.funnel
        ? { told: toldAnswers(answers), recounted: await recountedAnswers(sql.ask) }
        : { told: {}, recounted: {} }
      return {
        sent,
        charts: { ...told(insights), ...answered.told },
        recount: { ...(await recounted(sql.ask)), ...answered.recounted },
      }
    } finally {
      sql.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const dayAgo = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

/** Day by day: what was sent is moved back before the next day begins, so that the order holds. */
async function seedGame(system: System, game: Game, { statements, days, seed }: Required<Omit<RecountOptions, 'log'>>) {
  const random = randomOf(seed)
  const learners = Math.max(3, Math.floor(statements / 120))
  let sent = 0
  for (let ago = days - 1; ago >= 0; ago--) {
    const before = await lastOf(system, game)
    const end = Math.floor((statements * (days - ago)) / days)
    let waiting: object[] = []
    const send = async () => {
      const body = waiting.splice(0, batch)
      await game.rpc(0).statements.storeStatements({ json: Buffer.from(JSON.stringify(body)) })
      sent += body.length
    }
    while (sent + waiting.length < end) {
      const began = Date.now() - ago * 86_400_000 - Math.floor(random() * 3_600_000)
      waiting.push(...sessionOf(Math.floor(random() ** 2 * learners), began, random))
      while (waiting.length >= batch) await send()
    }
    while (waiting.length > 0) await send()
    await system.database.sql(
      `update statement set stored = stored - $3::bigint
        where game = (select id from game where uuid = $1) and stored > $2`,
      [game.id, before, ago * 86_400_000_000],
    )
  }
  return sent
}

const lastOf = async (system: System, game: Game): Promise<string> => {
  const [row] = await system.database.sql<{ last: string }>(
    'select coalesce(max(stored), 0) as last from statement where game = (select id from game where uuid = $1)',
    [game.id],
  )
  return row!.last
}

async function exportDay(
  { exportStatements }: ReturnType<System['connections'][number]['as']>['exports'],
  game: Game,
  day: string,
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const file = await open(join(folder, `statements-${day}.parquet`), 'w')
  const before = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
  const [since, until] = [`${before}T23:59:59.999999Z`, `${day}T23:59:59.999999Z`]
  const parts = exportStatements(
    { gameId: game.id, filters: { since, until }, form: { format: ExportFormat.PARQUET } },
    { timeoutMs: 0 },
  )
  for await (const { data } of parts) await file.write(data)
  await file.close()
}
