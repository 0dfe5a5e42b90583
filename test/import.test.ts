import { createHash } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ImportStatementsRequestSchema } from '../gen/lrs/v1/admin_pb.js'
import { Scope } from '../gen/lrs/v1/identity_pb.js'
import type { Game } from './support/games.ts'
import { activity, player, reference, statement, voiding, type Json } from './support/statements.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'

let system: System
beforeAll(async () => {
  // with request limits: imports are not counted
  system = await startSystem({ cores: 2, gateways: 0, rateLimitFactor: 1 })
})
afterAll(() => system.close())

type Message = MessageInitShape<typeof ImportStatementsRequestSchema>
const batch = (what: Json): Message => ({ part: { case: 'statements', value: Buffer.from(JSON.stringify(what)) } })
const end: Message = { part: { case: 'end', value: {} } }

/** As a service would for the game, on core n. */
function importer(game: Game, core = 0, token = tokens.service) {
  const { admin } = system.connections[core]!.as(bearer(token), { 'x-lrs-credential': game.key })
  return (...messages: Message[]) =>
    admin.importStatements(
      (async function* () {
        yield* messages
      })(),
    )
}

const elsewhere = { objectType: 'Agent', account: { homePage: 'https://old.example', name: 'old-key' } }
/** A statement as another store has it. */
const old = (over: Json = {}): Json =>
  statement({
    timestamp: '2020-02-03T04:05:06.789Z',
    stored: '2020-02-03T04:05:07.000Z',
    authority: elsewhere,
    version: '1.0.0',
    ...over,
  })
const read = async (game: Game, id: string) =>
  JSON.parse(Buffer.from((await game.rpc().statements.getStatement({ statementId: id })).json).toString())

describe('an import', () => {
  test('keeps statements as they were: authority, timestamp, version, every byte; `stored` is ours', async () => {
    const game = await system.game()
    const one = old({ result: { extensions: { 'https://e.example/n': 1 } } })
    const text = JSON.stringify(one).replace(':1}}', ':1.50e3}}')
    expect(await importer(game)({ part: { case: 'statements', value: Buffer.from(`[${text}]`) } }, end)).toMatchObject({
      stored: 1n,
      skipped: 0n,
      conflicts: [],
    })
    const raw = Buffer.from((await game.rpc().statements.getStatement({ statementId: one.id })).json).toString()
    expect(raw).toContain('1.50e3')
    const { stored, ...kept } = JSON.parse(raw)
    const { stored: _, ...sent } = JSON.parse(text)
    expect(kept).toEqual(sent)
    expect(Date.parse(stored)).toBeGreaterThan(Date.now() - 60_000)
    const byAuthority = await game
      .rpc()
      .statements.queryStatements({ agent: JSON.stringify(elsewhere), relatedAgents: true })
    expect(byAuthority.json).toHaveLength(1)
    const bare = statement()
    await importer(game)(batch([bare]), end)
    expect(await read(game, bare.id)).toMatchObject({ authority: { account: { name: game.key } } })
  })

  test('may be sent again: what is stored is skipped, what is stored otherwise is told and stays', async () => {
    const game = await system.game()
    const [a, b, c] = [old(), old(), old()]
    await importer(game)(batch([a, b]), end)
    const other = { ...b, actor: player('someone-else') }
    const again = await importer(game, 1)(batch([a, a, { ...a, id: a.id.toUpperCase() }]), batch([other, c]), end)
    expect(again).toMatchObject({ stored: 1n, skipped: 4n, conflicts: [b.id], conflictCount: 1n })
    expect((await read(game, b.id)).actor).toEqual(b.actor)
    // what a game sent itself is the same statement, whatever the service added to it
    const sent = statement()
    await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(sent)) })
    expect(
      await importer(game)(
        batch([{ ...sent, authority: elsewhere, timestamp: (await read(game, sent.id)).timestamp }]),
        end,
      ),
    ).toMatchObject({ skipped: 1n, conflicts: [] })
  })

  test('is as large as one likes, in batches of 1,000, without request limits, by two at once over two cores', async () => {
    const game = await system.game()
    const all = Array.from({ length: 20 }, (_, n) =>
      Array.from({ length: 500 }, (_, m) => old({ actor: player(`p${m % 50}`), object: activity(`level-${n}`) })),
    )
    const results = await Promise.all([0, 1].map((core) => importer(game, core)(...all.map(batch), end)))
    expect(results.reduce((sum, { stored }) => sum + Number(stored), 0)).toBe(10_000)
    expect(results.reduce((sum, { skipped }) => sum + Number(skipped), 0)).toBe(10_000)
    const [row] = await system.database.sql<{ count: number }>(
      'select count(*)::int from statement s join game g on g.id = s.game where g.uuid = $1',
      [game.id],
    )
    expect(row!.count).toBe(10_000)
    await expect(importer(game)(batch(Array.from({ length: 1_001 }, () => old())), end)).rejects.toMatchObject({
      code: Code.ResourceExhausted,
    })
  })

  test('voids, and keeps references', async () => {
    const game = await system.game()
    const gone = old()
    await importer(game)(batch([voiding(gone.id, { authority: elsewhere })]), batch([gone]), end)
    await expect(read(game, gone.id)).rejects.toMatchObject({ code: Code.NotFound })
    expect((await game.rpc().statements.getStatement({ voidedStatementId: gone.id })).stored).toBeGreaterThan(0n)
  })

  test('stores 1,000 statements that refer to one, which make too many links for one transaction', async () => {
    const game = await system.game()
    const one = old()
    const referring = Array.from({ length: 999 }, () => old({ object: reference(one.id) }))
    expect(await importer(game)(batch([one, ...referring]), end)).toMatchObject({ stored: 1_000n, skipped: 0n })
    const [{ count }] = (await system.database.sql<{ count: number }>(
      'select count(distinct p.stored)::int from posting p join game g on g.id = p.game where g.uuid = $1 and p.stored <> p.target',
      [game.id],
    )) as [{ count: number }]
    expect(count).toBe(999)
  })

  test('brings contents of attachments along; without them the statements come alone', async () => {
    const game = await system.game()
    const content = Buffer.from('a picture, say')
    const sha2 = createHash('sha256').update(content).digest('hex')
    const attachment = (sha2: string) => ({
      usageType: 'https://e.example/picture',
      display: { en: 'Picture' },
      contentType: 'image/png',
      length: content.length,
      sha2,
    })
    const [withIt, without] = [
      old({ attachments: [attachment(sha2)] }),
      old({ attachments: [attachment(createHash('sha256').update('else').digest('hex'))] }),
    ]
    const result = await importer(game)(
      batch([withIt]),
      { part: { case: 'begin', value: { sha2 } } },
      { part: { case: 'content', value: content.subarray(0, 5) } },
      { part: { case: 'content', value: content.subarray(5) } },
      batch([without]),
      end,
    )
    expect(result.stored).toBe(2n)
    const got: Uint8Array[] = []
    for await (const { content } of game.rpc().attachments.getAttachment({ sha2 })) got.push(content)
    expect(Buffer.concat(got)).toEqual(content)
    await expect(
      importer(game)(batch([old()]), { part: { case: 'begin', value: { sha2: sha2.replace(/^./, '0') } } }, end),
    ).rejects.toMatchObject({ code: Code.InvalidArgument })
  })

  test('that is wrong or cut off says where; what came before stays', async () => {
    const game = await system.game()
    const [first, second] = [old(), old()]
    await expect(
      importer(game)(batch([first]), batch([second, old({ verb: { id: 'won' } })]), end),
    ).rejects.toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: expect.stringContaining('batches[1].statements[1].verb.id'),
    })
    expect(await read(game, first.id)).toBeDefined()
    await expect(read(game, second.id)).rejects.toMatchObject({ code: Code.NotFound })
    await expect(importer(game)(batch([second]))).rejects.toMatchObject({ code: Code.Unavailable })
    await expect(importer(game)({ part: { case: 'content', value: Buffer.from('x') } }, end)).rejects.toMatchObject({
      code: Code.InvalidArgument,
    })
    expect(await importer(game)(end)).toMatchObject({ stored: 0n })
  })

  test('takes a service or an admin, on behalf of a credential that may write', async () => {
    const game = await system.game()
    expect((await importer(game, 0, tokens.admin)(batch([old()]), end)).stored).toBe(1n)
    await expect(importer(game, 0, tokens.portal)(batch([old()]), end)).rejects.toMatchObject({
      code: Code.PermissionDenied,
    })
    const reads = await system.game([Scope.STATEMENTS_READ_MINE])
    await expect(importer(reads)(batch([old()]), end)).rejects.toMatchObject({ code: Code.PermissionDenied })
    const nobody = system.connections[0]!.as(bearer(tokens.service)).admin
    await expect(
      nobody.importStatements(
        (async function* () {
          yield* [batch([old()]), end]
        })(),
      ),
    ).rejects.toMatchObject({ code: Code.Unauthenticated })
  })
})
