import { randomUUID } from 'node:crypto'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expire } from '../../core/records/command/expire.ts'
import { isAway } from '../../core/process/refusal.ts'
import { monthsBefore } from '../../core/records/rules/kept-months.ts'
import { ExportFormat } from '../../gen/lrs/v1/exports_pb.js'
import { begin } from '../deletions/deletions.ts'
import { reasonOf } from '../support/failures.ts'
import type { Game } from '../support/games.ts'
import { analyst } from '../support/parquet.ts'
import { tokens, type System } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'
import { recountedAnswers, toldAnswers } from './answers.ts'
import { recountedCut, toldCut } from './cut.ts'
import { recounted, told } from './figures.ts'
import { disordered, messySession } from './messy.ts'
import { randomOf } from './serious-game.ts'

export interface RecountOptions {
  /** Number of statements that are sent, about. */
  readonly statements: number
  /** Number of days on which they are sent; today is the last. */
  readonly days: number
  readonly seed?: number
  /** Says how far it is. */
  readonly log?: (line: string) => void
  /** Hears of each comparison at once. */
  readonly hear?: (one: Compared) => void
}

/** What the charts say at one time, and what DuckDB has counted: they have to be equal. */
export interface Compared {
  readonly when: string
  readonly charts: Readonly<Record<string, unknown>>
  readonly recount: Readonly<Record<string, unknown>>
}

interface Ground {
  readonly system: System
  readonly game: Game
  readonly folder: string
  readonly random: () => number
  readonly learners: number
}
type First = readonly [learner: string, day: number]
/** What the studio has set. */
interface Clock {
  readonly zone: string
  readonly start?: number
  readonly cut?: 'platform'
}

const batch = 250
const dayMs = 86_400_000
const zone = 'Pacific/Auckland'
const cut = 'platform'

/**
 * Sends statements of a serious game to a system, as messy as they come, takes them out as Parquet and counts them with
 * DuckDB: as they were sent, in another zone and cut by platform, with a start of the game, after retention, when learners have returned,
 * and after a deletion.
 */
export async function recount(system: System, { statements, days, seed = 1, log = () => {}, hear }: RecountOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'lrs-recount-'))
  const random = randomOf(seed)
  const ground = { system, game: await studioGame(system), folder, random, learners: Math.max(3, statements / 120) }
  const { admin } = system
  const gameId = ground.game.id
  const compared: Compared[] = []
  const compare = async (when: string, clock: Clock, former: readonly First[] = []) => {
    compared.push({ when, ...(await figures(ground, clock, former)) })
    hear?.(compared.at(-1)!)
    log(`counted twice: ${when}`)
  }
  try {
    let sent = 0
    const fresh = Math.floor(statements * 0.9)
    for (let ago = days - 1; ago >= 0; ago--) sent += await send(ground, (fresh * (days - ago)) / days - sent, ago)
    log(`${sent} statements were stored`)
    await compare('as they were sent', { zone: 'UTC' })
    await admin.counting.setZone({ gameId, zone })
    await admin.counting.setCut({ gameId, cut })
    await compare('in another zone, cut by platform', { zone, cut })
    const start = Math.floor(Date.now() / dayMs - 60) * dayMs
    await admin.counting.setStart({ gameId, start: BigInt(start / 1000) })
    await compare('with a start of the game', { zone, start, cut })
    const former = await retain(ground, days, { zone, start, cut })
    await compare('after retention', { zone, start, cut }, former)
    sent += await send(ground, statements - sent, 0)
    await compare('when learners have returned', { zone, start, cut }, former)
    const verb = 'http://adlnet.gov/expapi/verbs/interacted'
    await remove(ground, { filters: { verb, since: new Date(Date.now() - 3 * dayMs).toISOString() } })
    await remove(ground, { ids: await someIds(ground) })
    await compare('after a deletion', { zone, start, cut }, former)
    return { sent, compared }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function studioGame(system: System): Promise<Game> {
  const game = await system.game()
  const studio = `insert into studio (email, password_hash, name, slug) values ($1, '', 'S', $1) returning id`
  const [{ id } = { id: 0 }] = await system.database.sql<{ id: number }>(studio, [randomUUID()])
  await system.database.sql('update game set studio = $2 where uuid = $1', [game.id, id])
  return game
}

const ofGame = 'game = (select id from game where uuid = $1)'
const dayName = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Sends again while the store has no room: the ids are the same. */
async function stored(game: Game, json: Buffer): Promise<void> {
  for (let tries = 0; ; tries++) {
    const call = game.rpc(0).statements.storeStatements({ json })
    if (tries === 20 || (await reasonOf(call)) !== 'UNAVAILABLE') return void (await call)
    await pause(500)
  }
}

/** Sends statements as if it were some days ago: what was sent is moved back, so that the order holds. */
async function send({ system, game, random, learners }: Ground, count: number, ago: number): Promise<number> {
  const { sql } = system.database
  const [{ last } = { last: '0' }] = await sql<{ last: string }>(
    `select coalesce(max(stored), 0) as last from statement where ${ofGame}`,
    [game.id],
  )
  let sent = 0
  while (sent < count) {
    const waiting: object[] = []
    while (waiting.length < 4 * batch && sent + waiting.length < count)
      waiting.push(...messySession(learners, Date.now() - ago * dayMs, random))
    const list = disordered(waiting, random)
    for (let at = 0; at < list.length; at += batch)
      await stored(game, Buffer.from(JSON.stringify(list.slice(at, at + batch))))
    sent += list.length
  }
  const moved = [game.id, last, ago * dayMs * 1000]
  await sql(
    `update posting set stored = stored - $3::bigint, target = target - $3 where ${ofGame} and target > $2`,
    moved,
  )
  await sql(`update statement set stored = stored - $3::bigint where ${ofGame} and stored > $2`, moved)
  return sent
}

/** Removes about half of the days, as retention does after a month. Returns the first days of people in what went. */
async function retain(ground: Ground, days: number, clock: Clock): Promise<First[]> {
  const { system, game } = ground
  const { store, config } = system.cores[0]!
  const later = Date.now() + (31 - Math.ceil(days / 2)) * dayMs
  const before = monthsBefore(later, 1)
  const sql = await exported(ground, clock)
  const first = await sql.ask(`select learner, cast(min(day) - date '1970-01-01' as int) as day from acts
    where not team and epoch_us(stored) < ${before} group by learner`)
  sql.close()
  await system.database.sql(
    'insert into retention (game, statements, next_run) select id, 1, $2 from game where uuid = $1',
    [game.id, new Date(later)],
  )
  const due = { ...(await store.retention.get(game.id, undefined))!, attempts: 0 }
  const run = () => expire({ store, config, now: () => later }, { ...due, id: due.game }, new AbortController().signal)
  // as the job does when the counts are held for longer than a query may wait
  for (let isDone = false; !isDone;) isDone = await run().then(() => true, unlessAway)
  return first.map(({ learner, day }) => [String(learner), Number(day)] as const)
}

function unlessAway(error: unknown): false {
  if (isAway(error)) return false
  throw error
}

async function remove({ system, game }: Ground, which: Parameters<typeof begin>[2]): Promise<void> {
  const { deletion } = await begin(system, game, which)
  for (;;) {
    const { deletions } = await system.admin.deletions.listDeletions({ gameId: game.id })
    if (deletions.some(({ deletionId, ended }) => deletionId === deletion.deletionId && ended > 0n)) return
    await pause(100)
  }
}

async function someIds({ system, game }: Ground): Promise<string[]> {
  const some = `select id from statement where ${ofGame} order by md5(id::text) limit 500`
  return (await system.database.sql<{ id: string }>(some, [game.id])).map(({ id }) => id)
}

/** DuckDB over what the game has. */
async function exported({ system, game, folder }: Ground, { zone, start, cut }: Clock) {
  const admin = system.connections[0]!.as(bearer(tokens.admin))
  const file = await open(join(folder, 'statements-all.parquet'), 'w')
  const parts = admin.exports.exportStatements(
    { gameId: game.id, form: { format: ExportFormat.PARQUET } },
    { timeoutMs: 0 },
  )
  for await (const { data } of parts) await file.write(data)
  await file.close()
  const sql = await analyst(folder, zone, start, cut && `json_extract_string(statement, '$.context.${cut}')`)
  await sql.ask('create temp view acts as select * from statements where not voids')
  return sql
}

async function figures(ground: Ground, clock: Clock, former: readonly First[]) {
  const admin = ground.system.connections[0]!.as(bearer(tokens.admin))
  const range = { gameId: ground.game.id, from: dayName(Date.now() - 360 * dayMs), to: dayName(Date.now() + dayMs) }
  const whole = async <Told extends { complete: boolean; recounting: boolean; zone: string }>(
    ask: () => Promise<Told>,
  ) => {
    for (;;) {
      const told = await ask()
      if (told.complete && !told.recounting && told.zone === clock.zone) return told
    }
  }
  const insights = await whole(() => admin.insights.getInsights(range))
  const answers = await whole(() => admin.answers.getAnswers(range))
  const cut = clock.cut && (await toldCut(answers, (build) => admin.answers.getAnswers({ ...range, build })))
  const sql = await exported(ground, clock)
  try {
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: clock.zone }).format()
    await sql.ask('create or replace temp table former (learner varchar, day date)')
    for (let at = 0; at < former.length; at += 1_000) {
      const rows = former
        .slice(at, at + 1_000)
        .map(([learner, day]) => `('${learner}', date '${dayName(day * dayMs)}')`)
      await sql.ask(`insert into former values ${rows.join()}`)
    }
    return {
      charts: { ...told(insights), ...toldAnswers(answers), ...(cut && { cut }) },
      recount: {
        ...(await recounted(sql.ask)),
        ...(await recountedAnswers(sql.ask, today)),
        ...(cut && { cut: await recountedCut(sql.ask, today) }),
      },
    }
  } finally {
    sql.close()
  }
}
