import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ClassLearner } from '../gen/lrs/v1/classes_pb.js'
import { ExportFormat } from '../gen/lrs/v1/exports_pb.js'
import type { Launch } from '../gen/lrs/v1/launches_pb.js'
import type { LearnerLevel } from '../gen/lrs/v1/learners_pb.js'
import { payload, startLaunches, type Launches } from './support/launches.ts'
import { analyst } from './support/parquet.ts'
import { statement } from './support/statements.ts'
import { tokens } from './support/system.ts'
import { bearer } from './support/xapi.ts'

/** The words of core/analytics/rules/attempts.ts mean the same wherever a person or a program meets them. */
const adl = 'http://adlnet.gov/expapi/verbs/'
const serious = 'https://w3id.org/xapi/seriousgames/verbs/'
const at = (level: string) => `https://g.example/${level}`
const began = Math.floor(Date.now() / 1000) * 1000 - 12 * 3_600_000

/** The start of the game: statements that say that they were earlier count when they arrive. */
const start = began - 86_400_000

/** Level: attempts, completed, passed, failed, abandoned, seconds. */
const expected = {
  again: [2, 2, 1, 1, 0, 65],
  reversed: [1, 1, 1, 0, 0, 30],
  left: [1, 0, 0, 0, 1, 10],
  long: [1, 1, 0, 0, 0, 0],
  running: [1, 0, 0, 0, 1, 0],
  undone: [1, 0, 0, 0, 1, 0],
  early: [2, 1, 0, 0, 1, 0],
}
type Table = Record<string, number[]>

let launches: Launches
let ann: Launch
let classId: string
beforeAll(async () => {
  launches = await startLaunches()
  const { classes } = launches.fox.on()
  ;({ classId } = await classes.createClass({ gameId: launches.game.id, name: '4b', learnerNames: ['Ann'] }))
  await launches.system.admin.counting.setStart({ gameId: launches.game.id, start: BigInt(start / 1000) })
  const { learners } = await classes.getClass({ gameId: launches.game.id, classId })
  const { links } = await classes.renewLinks({
    gameId: launches.game.id,
    invitationIds: learners.map(({ invitation }) => invitation!.invitationId),
  })
  ann = (await launches.play({ invitation: links[0]!.code })).launch!
  const said = (second: number, level: string, verb: string, result?: object, type?: string) =>
    statement({
      verb: { id: verb.includes(':') ? verb : adl + verb },
      object: { id: at(level), definition: { type } },
      result,
      context: {
        registration: ann.registration,
        contextActivities: level === 'whole' ? undefined : { parent: [{ id: at('whole') }] },
      },
      timestamp: new Date(began + second * 1000).toISOString(),
    })
  // sent in another order than they happened
  const batches = [
    [said(130, 'reversed', `${serious}passed`), said(100, 'reversed', `${serious}started`)],
    [said(0, 'whole', 'initialized'), said(40 * 900, 'whole', 'completed', { score: { scaled: 0.4 } })],
    [said(160, 'again', 'completed', { success: true, duration: 'PT5S' })],
    [said(0, 'again', 'initialized'), said(60, 'again', 'completed', { success: false, score: { scaled: 0.8 } })],
    [said(10, 'left', 'terminated'), said(0, 'left', 'attempted')],
    [said(0, 'long', 'initialized'), said(9, 'long', 'https://v.example/won', { completion: true, duration: 'P2D' })],
    [
      said(5, 'running', 'http://activitystrea.ms/schema/1.0/start'),
      said(6, 'undone', 'completed', { completion: false }),
    ],
    [said(7, 'question', 'completed', {}, 'http://adlnet.gov/expapi/activities/cmi.interaction')],
    [said(-90_000, 'early', 'initialized'), said(9, 'early', 'completed')],
    [said(8, 'other', 'https://adlnet.gov/expapi/verbs/completed')],
  ]
  for (const batch of batches) {
    const { status } = await launches.xapi(ann).post(batch)
    if (status !== 200) throw new Error(`a batch was refused with ${status}`)
  }
})
afterAll(() => launches.system.close())

const tableOf = (levels: readonly LearnerLevel[]): Table =>
  Object.fromEntries(
    levels.map(({ activityId, attempts, completed, passed, failed, abandoned, seconds }) => [
      activityId.replace(at(''), ''),
      [attempts, completed, passed, failed, abandoned, seconds].map(Number),
    ]),
  )
const day = (later: number) => new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10)
const portal = () => launches.system.connections[1]!.as(bearer(tokens.portal))
const agent = () => {
  const { account } = JSON.parse(payload(ann.token).actor) as { account: object }
  return JSON.stringify({ account })
}

/** Each reader of the same statements, by what people call it. */
const readers: Readonly<Record<string, () => Promise<Table>>> = {
  'the page of a learner': async () =>
    tableOf((await launches.fox.on().learners.getLearner({ gameId: launches.game.id, agent: agent() })).levels),
  'the charts': async () => {
    const answers = await launches.fox.on().answers.getAnswers({ gameId: launches.game.id, from: day(-2), to: day(1) })
    const levels = answers.levels!.levels.filter(({ wholeGame }) => !wholeGame)
    return tableOf(levels.map((one) => ({ ...one, seconds: Number(one.seconds!.count) * one.seconds!.mean })) as never)
  },
  'the result of a session': async () =>
    tableOf((await portal().launches.getResult({ sessionSecret: ann.sessionSecret })).levels),
  'the own data': async () => {
    const proof = { slug: launches.game.slug, sessionSecret: ann.sessionSecret, senderIp: '10.9.9.9' }
    return tableOf((await portal().ownData.getOwnData({ proof })).known!.levels)
  },
  'an export': async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lrs-words-'))
    const parts: Uint8Array[] = []
    const request = { gameId: launches.game.id, form: { format: ExportFormat.PARQUET } }
    for await (const { data } of launches.fox.on().exports.exportStatements(request)) parts.push(data)
    await writeFile(join(folder, 'statements-all.parquet'), Buffer.concat(parts))
    const sql = await analyst(folder, 'UTC', start)
    const rows = await sql.ask(`select activity_iri as "activityId", count(*) as attempts,
        count(*) filter (completed) as completed, count(*) filter (passed) as passed,
        count(*) filter (failed) as failed, count(*) filter (abandoned) as abandoned,
        coalesce(sum(seconds), 0) as seconds
      from attempts join names using (activity_iri) where not whole_game group by activity_iri`)
    sql.close()
    await rm(folder, { recursive: true })
    return tableOf(rows as unknown as LearnerLevel[])
  },
}

test.each(Object.keys(readers))('attempts, and how they ended, by %s', async (name) => {
  expect(await readers[name]!()).toEqual(expected)
})

test('the table of a class has the levels of these attempts', async () => {
  const { learners } = await launches.fox.on().classes.getClass({ gameId: launches.game.id, classId })
  const { result }: ClassLearner = learners[0]!
  expect(result).toMatchObject({
    attempts: 9,
    completed: 4,
    passed: 2,
    failed: 0,
    abandoned: 3,
    bestScore: 0.8,
    statements: 17,
    more: false,
  })
  // until the arrival of what says that it was before the start of the game
  expect(result!.seconds).toBeGreaterThanOrEqual(12 * 3_600)
})

test('the result of the game itself is that of its last attempt', async () => {
  const result = await portal().launches.getResult({ sessionSecret: ann.sessionSecret })
  expect(result).toMatchObject({ completion: true, score: { scaled: 0.4 }, seconds: 36_000 })
})
