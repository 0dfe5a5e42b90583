import { randomUUID } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gameReader } from '../core/games/access/game-reader.ts'
import { exportStatements } from '../core/connections/query/export-statements.ts'
import { microsOf } from '../core/records/xapi/timestamp.ts'
import { ExportFormat, ExportState, Pseudonyms, type ExportStatementsRequestSchema } from '../gen/lrs/v1/exports_pb.js'
import { filterFrom } from '../shared/statement-filters.ts'
import type { CoreClient } from './support/core-client.ts'
import type { Game } from './support/games.ts'
import { player, statement, statements, verb, voiding } from './support/statements.ts'
import { addStudio, type Studio } from './support/studios.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'

/** A filter that finds all. */
const everything = filterFrom(() => undefined)

let system: System
let admin: CoreClient
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 0 })
  admin = system.connections[0]!.as(bearer(tokens.admin))
})
afterAll(() => system.close())

type Asked = MessageInitShape<typeof ExportStatementsRequestSchema>

/** The file, and its last message. */
async function fileOf(game: Game, asked: Asked = {}, by: CoreClient = admin) {
  const parts: Uint8Array[] = []
  let last = { statements: 0n, through: 0n }
  for await (const part of by.exports.exportStatements({ gameId: game.id, ...asked })) {
    parts.push(part.data)
    last = part
  }
  return { file: Buffer.concat(parts), statements: Number(last.statements), through: last.through }
}
const send = (game: Game, list: object[], core = 0) =>
  game.rpc(core).statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })
const refusalOf = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (error) => ConnectError.from(error).rawMessage,
  )
const linesOf = (file: Buffer) => file.toString().trimEnd().split('\n')

test('the lines of a file are what queries return, byte for byte, without voided statements', async () => {
  const game = await system.game()
  const list = statements(620, { result: { score: { raw: 1.5 } } })
  for (let at = 0; at < list.length; at += 200) await send(game, list.slice(at, at + 200))
  await send(game, [voiding(list[0]!.id)], 1)
  const { file, statements: count } = await fileOf(game)
  expect(count).toBe(620)
  const { json, next } = await game.rpc().statements.queryStatements({ ascending: true, limit: 500 })
  const { json: rest } = await game.rpc().statements.queryStatements({ ascending: true, limit: 500, offset: next })
  expect(linesOf(file)).toEqual([...json, ...rest].map((bytes) => Buffer.from(bytes).toString()))
  const { file: array } = await fileOf(game, { form: { format: ExportFormat.JSON } })
  expect(JSON.parse(array.toString())).toHaveLength(620)
  expect(array.toString()).toContain(linesOf(file)[619]!)
})

test('filters choose, and `after` goes on where a file ended', async () => {
  const game = await system.game()
  await send(game, [statement({ actor: player('ben') }), statement({ verb: verb('won') }), statement()])
  const won = await fileOf(game, { filters: { verb: verb('won').id } })
  expect(won.statements).toBe(1)
  const ben = await fileOf(game, { filters: { agent: JSON.stringify(player('ben')) } })
  expect(JSON.parse(linesOf(ben.file)[0]!).actor.account.name).toBe('ben')
  const all = await fileOf(game)
  await send(game, [statement({ id: '11111111-1111-4111-8111-111111111111' })])
  const rest = await fileOf(game, { after: all.through })
  expect(linesOf(rest.file).map((line) => JSON.parse(line).id)).toEqual(['11111111-1111-4111-8111-111111111111'])
  expect((await fileOf(game, { filters: { since: '2100-01-01T00:00:00Z' } })).file).toHaveLength(0)
})

test('a CSV has the names that any statement gave, and columns of extensions', async () => {
  const game = await system.game()
  const levels = `https://games.example.org/${randomUUID()}`
  const named = {
    id: `${levels}/1`,
    definition: { name: { en: 'The Cave', de: 'Die Höhle' }, type: `${levels}/level` },
  }
  await send(game, [
    statement({ object: { id: `${levels}/1` }, context: { extensions: { [`${levels}/mood`]: ['x', 1] } } }),
    statement({ object: named, verb: { id: `${levels}/won`, display: { en: 'won' } } }),
    statement({ object: { id: `${levels}/1` }, verb: { id: `${levels}/won` } }),
  ])
  // verbs have the names of the charts
  const day = new Date().toISOString().slice(0, 10)
  await admin.insights.getInsights({ gameId: game.id, from: day, to: day })
  const form = { format: ExportFormat.CSV, acceptLanguage: 'de', extensions: [`${levels}/mood`] }
  const [head, ...rows] = linesOf((await fileOf(game, { form })).file)
  expect(head).toBe(
    'id,stored,timestamp,learner_name,learner,verb,verb_iri,object_type,activity,activity_iri,activity_type,success,completion,' +
      `score_scaled,score_raw,score_min,score_max,duration_seconds,response,registration,build,${levels}/mood\r`,
  )
  expect(rows).toHaveLength(3)
  for (const row of rows) expect(row).toContain(`Activity,Die Höhle,${levels}/1,${levels}/level`)
  expect(rows[0]).toMatch(/,"\[""x"",1\]"\r$/)
  expect(rows[2]).toContain(`,won,${levels}/won,`)
})

test('Parquet has the same rows', async () => {
  const game = await system.game()
  await send(game, statements(3, { result: { score: { scaled: 0.5 }, duration: 'PT2S' } }))
  const { file } = await fileOf(game, { form: { format: ExportFormat.PARQUET } })
  const rows = await parquetReadObjects({
    file: file.buffer.slice(file.byteOffset, file.byteOffset + file.length),
  })
  const lines = linesOf((await fileOf(game)).file)
  expect(rows.map(({ statement }) => statement)).toEqual(lines)
  expect(rows[0]).toMatchObject({ id: JSON.parse(lines[0]!).id, score_scaled: 0.5, duration_seconds: 2 })
})

test('with pseudonyms a file tells nobody, and the key of a game gives the same ones each time', async () => {
  const { studio, game } = await studioGame()
  const people = ['Ada Lovelace', 'Ben Hur', 'Zoë Ünal'].map((name, at) => ({
    name,
    account: { homePage: 'https://school.example', name: `pupil-${at}-secret` },
  }))
  const list = people.flatMap((actor) => [
    statement({ actor, context: { instructor: people[0], team: { objectType: 'Group', member: people } } }),
    statement({ actor, object: { objectType: 'Agent', ...people[1]! } }),
  ])
  await send(game, list)
  for (const format of [ExportFormat.NDJSON, ExportFormat.CSV, ExportFormat.PARQUET]) {
    const { file } = await fileOf(game, { form: { format, pseudonyms: Pseudonyms.OF_EXPORT } }, studio.on())
    for (const { name, account } of people) {
      expect(file.includes(name)).toBe(false)
      expect(file.includes(account.name)).toBe(false)
    }
    for (const { id } of list) expect(file.includes(id)).toBe(false)
  }
  const actorsOf = async (pseudonyms: Pseudonyms) =>
    linesOf((await fileOf(game, { form: { pseudonyms } }, studio.on())).file).map((line) => {
      const { name, account } = JSON.parse(line).actor
      expect(name).toBe(account.name)
      return name as string
    })
  const [one, same] = [await actorsOf(Pseudonyms.OF_GAME), await actorsOf(Pseudonyms.OF_GAME)]
  expect(one).toEqual(same)
  expect(new Set(one).size).toBe(3)
  const once = await actorsOf(Pseudonyms.OF_EXPORT)
  expect(new Set(once).size).toBe(3)
  expect(once).not.toEqual(await actorsOf(Pseudonyms.OF_EXPORT))
  expect(once).not.toEqual(one)
})

test('the audit log says who took what, and whether learners were named', async () => {
  const { studio, game } = await studioGame()
  await send(game, [statement()])
  const form = { format: ExportFormat.CSV, pseudonyms: Pseudonyms.OF_EXPORT }
  await fileOf(game, { form, filters: { agent: JSON.stringify(player('ann')), verb: verb('played').id } }, studio.on())
  const [entry] = await system.database.sql(
    `select action, outcome, details, actor_name as actor from audit_entry where action = 'statements.export'
      and subject_id = $1`,
    [game.id],
  )
  expect(entry).toMatchObject({
    outcome: 'ok',
    details: { format: 'csv', pseudonyms: 'export', filters: 'agent verb' },
  })
  expect(JSON.stringify(entry)).not.toContain('ann')
})

test('wrong requests are refused before anything is sent', async () => {
  const game = await system.game()
  expect(await refusalOf(fileOf(game, { filters: { verb: 'no iri' } }))).toContain('verb')
  expect(await refusalOf(fileOf(game, { filters: { since: 'yesterday' } }))).toContain('since')
  expect(await refusalOf(fileOf(game, { after: 2n ** 64n - 1n }))).toContain('after')
  expect(await refusalOf(fileOf(game, { form: { extensions: ['x'] } }))).toContain('form.extensions')
  expect(await refusalOf(fileOf({ ...game, id: randomUUID() }))).toContain('no such game')
})

test('a credential that changes meanwhile does not end the file', async () => {
  const game = await system.game()
  const list = statements(250, { result: { response: 'x'.repeat(7_000) } })
  for (let at = 0; at < list.length; at += 125) await send(game, list.slice(at, at + 125))
  const core = system.cores[0]!
  const pieces = exportStatements(
    core,
    () => gameReader(core, undefined, { gameId: game.id, sandbox: false }),
    everything,
    { format: 'csv', languages: '', extensions: [], mark: false, continues: false, pseudonymity: undefined },
    AbortSignal.timeout(60_000),
  )
  const first = await pieces.next()
  await admin.identity.rotateCredential({ key: game.key })
  let last = 0
  for await (const { statements } of pieces) last = statements
  expect(first.value!.statements).toBeLessThan(250)
  expect(last).toBe(250)
})

test('no studio has more than two exports at a time', async () => {
  const game = await system.game()
  const { exporting } = system.cores[0]!
  const releases = [exporting.take('admins'), exporting.take('admins')]
  expect(await refusalOf(fileOf(game))).toContain('Too many exports')
  for (const release of releases) release()
  expect(await refusalOf(fileOf(game))).toBeUndefined()
  expect(await refusalOf(fileOf(game))).toBeUndefined()
})

const accountOf = async ({ account }: Studio): Promise<string> => {
  const [row] = await system.database.sql<{ uuid: string }>('select uuid from account where id = $1', [account])
  return row!.uuid
}
/** The bytes of a file that was made in the background. */
async function madeFile(keys: readonly string[]): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const key of keys) {
    const stored = await system.cores[0]!.storage.open(key)
    for await (const part of await stored!.read()) parts.push(part as Buffer)
  }
  return Buffer.concat(parts)
}
const settled = async (studio: Studio, exportId: string) => {
  const { exports } = studio.on()
  await expect
    .poll(async () => (await exports.getExport({ exportId })).export!.ended, { timeout: 60_000 })
    .toBeGreaterThan(0n)
  return (await exports.getExport({ exportId })).export!
}

test('a file is made in the background, its account is told, and it can be removed', async () => {
  const { studio, game } = await studioGame()
  await send(game, statements(30))
  const form = { format: ExportFormat.CSV }
  const { export: asked } = await studio.on().exports.startExport({ gameId: game.id, form })
  expect([ExportState.WAITING, ExportState.RUNNING]).toContain(asked!.state)
  const made = await settled(studio, asked!.exportId)
  expect(made).toMatchObject({ state: ExportState.READY, statements: 30n, problem: '' })
  const direct = await fileOf(game, { form }, studio.on())
  const file = await madeFile(made.keys)
  expect(file.toString()).toBe(direct.file.toString())
  expect(made.bytes).toBe(BigInt(file.length))
  const { notifications } = await studio.on().notices.listNotifications({})
  expect(notifications[0]).toMatchObject({ kind: 'export', path: `/games/${game.id}/statements/files` })
  await studio.on().exports.cancelExport({ exportId: made.exportId })
  const { exports } = await studio.on().exports.listExports({ gameId: game.id })
  expect(exports.map(({ state, keys }) => [state, keys])).toEqual([[ExportState.CANCELLED, []]])
  const due = await system.database.sql(
    `select due < now() + interval '3 minutes' as soon from garbage where key = $1`,
    [`exports/${made.exportId}/`],
  )
  expect(due).toEqual([{ soon: true }])
})

test('when a core dies, another one goes on with what is written; the key of pseudonyms waits sealed', async () => {
  const { studio, game } = await studioGame()
  for (const name of ['ann', 'ben', 'cleo', 'dan']) await send(game, statements(50, { actor: player(name) }))
  const { store, storage } = system.cores[0]!
  const form = { format: ExportFormat.NDJSON, pseudonyms: Pseudonyms.OF_EXPORT }
  // as if a core had it that writes one part and dies
  const busy = async (exportId: string) => {
    const found = await system.database.sql<{ id: number; attempts: number }>(
      `update export_job set leased = now() + interval '1 hour', attempts = 1 where uuid = $1 and attempts = 0
        returning id, attempts`,
      [exportId],
    )
    return found[0]
  }
  let exportId = ''
  let mine: { id: number; attempts: number } | undefined
  for (let tries = 0; !mine && tries < 20; tries++) {
    exportId = (await studio.on().exports.startExport({ gameId: game.id, form })).export!.exportId
    mine = await busy(exportId)
    if (!mine) await settled(studio, exportId)
  }
  const [sealed] = await system.database.sql<{ key: Buffer }>(
    'select pseudonym_key as key from export_job where uuid = $1',
    [exportId],
  )
  const place = { table: 'export_job', column: 'pseudonym_key', row: exportId }
  const key = Buffer.from(system.cores[0]!.sealer.open(place, sealed!.key), 'base64url')
  const pieces = exportStatements(
    system.cores[0]!,
    () => gameReader(system.cores[0]!, undefined, { gameId: game.id, sandbox: false }),
    { ...everything, agent: JSON.stringify(player('ann')) },
    {
      format: 'ndjson',
      languages: '',
      extensions: [],
      mark: false,
      continues: false,
      pseudonymity: { key, authority: '{}', bare: false },
    },
    AbortSignal.timeout(60_000),
  )
  const { data, statements: written } = (await pieces.next()).value!
  await pieces.return(undefined)
  expect(written).toBe(50)
  const last = await game.rpc().statements.queryStatements({ agent: JSON.stringify(player('ann')), limit: 1 })
  const stored = Number(microsOf(JSON.parse(Buffer.from(last.json[0]!).toString()).stored))
  await storage.write(`exports/${exportId}/1-1`, data, data.length)
  expect(
    await store.exportJobs.reach(mine!, 3600, { place: stored, statements: 50, bytes: data.length, parts: [1] }),
  ).toBe(true)
  // it wrote another part, which nobody reads, and its lease ends
  await storage.write(`exports/${exportId}/2-1`, Buffer.from('half a li'), 9)
  await system.database.sql(`update export_job set leased = now() - interval '1 second' where uuid = $1`, [exportId])
  const made = await settled(studio, exportId)
  expect(made.keys).toEqual([`exports/${exportId}/1-1`, `exports/${exportId}/2-2`])
  const lines = linesOf(await madeFile(made.keys))
  expect(lines).toHaveLength(200)
  const names = new Set(lines.map((line) => JSON.parse(line).actor.account.name))
  expect(names.size).toBe(4)
  expect(new Set(lines.map((line) => JSON.parse(line).id)).size).toBe(200)
  // the dead core comes back, and is told that it has lost
  expect(await store.exportJobs.renew(mine!, 60)).toBe(false)
  const after = await system.database.sql('select pseudonym_key as key from export_job where uuid = $1', [exportId])
  expect(after).toEqual([{ key: null }])
})

test('a studio has at most five under way; wrong filters are refused at once', async () => {
  const { studio, game } = await studioGame()
  const accountId = await accountOf(studio)
  const { store } = system.cores[0]!
  for (let n = 0; n < 5; n++) {
    const exportId = randomUUID()
    const asked = { exportId, gameId: game.id, studio: studio.id, accountId, sandbox: false, pseudonymKey: null }
    await store.transaction(async (run) => {
      await run(
        {
          name: 'busy_export',
          text: `insert into export_job (uuid, game, studio, sandbox, filters, form, leased)
            select $1, id, $3, false, $4::jsonb, '{"format":"csv","pseudonyms":"none","extensions":[]}',
              now() + interval '1 hour'
            from game where uuid = $2`,
        },
        [asked.exportId, asked.gameId, asked.studio, JSON.stringify(everything)],
      )
    })
  }
  const { exports } = studio.on()
  expect(await refusalOf(exports.startExport({ gameId: game.id }))).toContain('5 exports under way')
  expect(await refusalOf(exports.startExport({ gameId: game.id, filters: { verb: 'x y' } }))).toContain('verb')
  const { exports: all } = await exports.listExports({ gameId: game.id })
  await exports.cancelExport({ exportId: all[0]!.exportId })
  expect(await refusalOf(exports.startExport({ gameId: game.id }))).toBeUndefined()
  expect(await refusalOf(exports.cancelExport({ exportId: randomUUID() }))).toContain('no such export')
})

test('how many statements match is counted by the rarest filter', async () => {
  const game = await system.game()
  await send(game, [...statements(5), statement({ actor: player('ben') }), statement({ verb: verb('won') })])
  const count = async (filters: Asked['filters'] = {}) =>
    Number((await admin.exports.countExport({ gameId: game.id, filters })).statements)
  expect(await count()).toBe(7)
  expect(await count({ verb: verb('won').id })).toBe(1)
  expect(await count({ agent: JSON.stringify(player('ben')), verb: verb('played').id })).toBe(1)
  expect(await count({ since: '2100-01-01T00:00:00Z' })).toBe(0)
})

test('a long name of an activity is not in every row of a file', async () => {
  const game = await system.game()
  const id = `https://games.example.org/${randomUUID()}`
  await send(game, [statement({ object: { id, definition: { name: { en: 'n'.repeat(200_000) } } } })])
  await send(game, statements(100, { object: { id } }))
  const { file, statements: count } = await fileOf(game, { form: { format: ExportFormat.CSV } })
  expect(count).toBe(101)
  expect(file.length).toBeLessThan(1_000_000)
})

/** An export that a core has taken and lost. */
async function lostExport(studio: Studio, game: Game, attempts: number): Promise<{ id: number; exportId: string }> {
  const exportId = randomUUID()
  const form = { format: 'json', pseudonyms: 'none', extensions: [], languages: '', mark: false, bare: false }
  const [row] = await system.database.sql<{ id: number }>(
    `insert into export_job (uuid, game, studio, sandbox, filters, form, leased, attempts)
      select $1, id, $3, false, $4::jsonb, $5::jsonb, now() + interval '1 hour', $6::int from game where uuid = $2
      returning id`,
    [exportId, game.id, studio.id, JSON.stringify(everything), JSON.stringify(form), attempts],
  )
  return { id: row!.id, exportId }
}

test('an export whose cores die is given up', async () => {
  const { studio, game } = await studioGame()
  const { exportId } = await lostExport(studio, game, 10)
  await system.database.sql(`update export_job set leased = now() - interval '1 second' where uuid = $1`, [exportId])
  expect((await settled(studio, exportId)).problem).toContain('could not be made')
})

test('a file ends together with its last part: a core that dies then leaves nothing to go on with', async () => {
  const { studio, game } = await studioGame()
  await send(game, statements(3))
  const { id, exportId } = await lostExport(studio, game, 1)
  const { store, storage } = system.cores[0]!
  const part = Buffer.from('[\n{}\n]\n')
  await storage.write(`exports/${exportId}/1-1`, part, part.length)
  const reached = { place: Date.now() * 1000, statements: 1, bytes: part.length, parts: [1] }
  expect(await store.exportJobs.reach({ id, attempts: 1 }, 1, reached, true)).toBe(true)
  await system.database.sql(`update export_job set leased = now() - interval '1 second' where uuid = $1`, [exportId])
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const made = await settled(studio, exportId)
  expect(JSON.parse((await madeFile(made.keys)).toString())).toEqual([{}])
})

/** A game of a studio with a credential. */
async function studioGame() {
  const game = await system.game()
  const studio = await addStudio(system, 'Blue Fox')
  await system.database.sql('update game set studio = $2 where uuid = $1', [game.id, studio.id])
  await system.database.sql('update tenant set studio = $2 where uuid = $1', [game.id, studio.id])
  return { studio, game }
}
