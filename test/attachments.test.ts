import { randomBytes } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import { Client, credentials, Metadata, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CoreClient } from './support/core-client.ts'
import { attachment, sha256, upload } from './support/attachments.ts'
import type { Game } from './support/games.ts'
import { statement } from './support/statements.ts'
import { startSystem, tokens, type System } from './support/system.ts'

let system: System
let game: Game
let other: Game
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 0 })
  game = await system.game()
  other = await system.game()
})
afterAll(() => system.close())

const content = (text: string) => ({ sha2: sha256(text), content: Buffer.from(text) })

async function read(client: CoreClient, sha2: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const { content } of client.attachments.getAttachment({ sha2 })) chunks.push(content)
  return Buffer.concat(chunks)
}

async function refusal(call: Promise<unknown>): Promise<ConnectError> {
  return ConnectError.from(
    await call.then(
      () => new Error('was not refused'),
      (error: unknown) => error,
    ),
  )
}

describe('contents over RPC', () => {
  test.each([0, 1, 262_143, 262_144, 262_145, 1_000_000])('of %i bytes come back as they were sent', async (size) => {
    const bytes = randomBytes(size)
    const one = statement({ attachments: [attachment(bytes)] })
    const { ids } = await game
      .rpc()
      .attachments.storeWithAttachments(upload(one, [{ sha2: sha256(bytes), content: bytes }], 10_007))
    expect(ids).toEqual([one.id])
    expect((await read(game.rpc(1), sha256(bytes).toUpperCase())).equals(bytes)).toBe(true)
    const { attachments } = await game.rpc().statements.getStatement({ statementId: one.id, attachments: true })
    expect(attachments).toMatchObject([
      { sha2: sha256(bytes), contentType: 'application/octet-stream', size: BigInt(size) },
    ])
  })

  test('are kept once for all senders, also at the same time over two cores', async () => {
    const bytes = randomBytes(600_000)
    const send = (who: Game, core: number) =>
      who
        .rpc(core)
        .attachments.storeWithAttachments(
          upload(statement({ attachments: [attachment(bytes)] }), [{ sha2: sha256(bytes), content: bytes }]),
        )
    await Promise.all([send(game, 0), send(game, 1), send(other, 0), send(other, 1)])
    for (const who of [game, other]) expect((await read(who.rpc(), sha256(bytes))).equals(bytes)).toBe(true)
    const kept = await system.database.sql(
      'select size, referenced, (select count(*)::int from attachment_chunk where attachment = a.id) as chunks from attachment a where sha2 = $1',
      [Buffer.from(sha256(bytes), 'hex')],
    )
    expect(kept).toEqual([{ size: '600000', referenced: true, chunks: 3 }])
  })

  test('of another game cannot be had by their hash', async () => {
    const { sha2, content: bytes } = content('secret of one game')
    const one = statement({ attachments: [attachment(bytes)] })
    await game.rpc().attachments.storeWithAttachments(upload(one, [{ sha2, content: bytes }]))
    expect((await refusal(read(other.rpc(), sha2))).code).toBe(Code.NotFound)
    const claim = Buffer.from(JSON.stringify(statement({ attachments: [attachment(bytes)] })))
    for (const call of [
      () => other.rpc().statements.storeStatements({ json: claim }),
      () => other.rpc().attachments.storeWithAttachments(upload(JSON.parse(String(claim)), [])),
    ]) {
      const refused = await refusal(call())
      expect(refused.code).toBe(Code.InvalidArgument)
      expect(refused.rawMessage).toMatch(
        /^attachments\[0\]: has no fileUrl, so its content has to come with the request/,
      )
    }
    expect((await refusal(read(other.rpc(), sha2))).code).toBe(Code.NotFound)
  })

  test('are read with a launch token through statements of its learner only', async () => {
    const { sha2, content: bytes } = content('of ann alone')
    await game
      .rpc()
      .attachments.storeWithAttachments(
        upload(statement({ attachments: [attachment(bytes)] }), [{ sha2, content: bytes }]),
      )
    const ann = system.connections[0]!.as(await game.launch(statement().actor))
    const bob = system.connections[0]!.as(await game.launch({ mbox: 'mailto:bob@example.org' }))
    expect(String(await read(ann, sha2))).toBe('of ann alone')
    expect((await refusal(read(bob, sha2))).code).toBe(Code.NotFound)
  })

  test.each([
    [
      'a wrong hash',
      [{ sha2: sha256('a'), content: Buffer.from('b') }],
      /^X-Experience-API-Hash: must be the SHA-2 hash of the part/,
    ],
    [
      'a hash that no attachment has',
      [content('a'), content('c')],
      /^X-Experience-API-Hash: must be the sha2 of an attachment/,
    ],
    ['no hash', [{ sha2: '', content: Buffer.from('a') }], /^X-Experience-API-Hash: must be the sha2 of an attachment/],
    ['a content too few', [], /^attachments\[0\]: has no fileUrl/],
  ])('with %s: nothing is stored', async (_what, contents, message) => {
    const one = statement({ attachments: [attachment('a')] })
    const refused = await refusal(game.rpc().attachments.storeWithAttachments(upload(one, contents)))
    expect(refused.rawMessage).toMatch(message)
    expect((await refusal(game.rpc().statements.getStatement({ statementId: one.id }))).code).toBe(Code.NotFound)
  })

  test.each(['ended', 'reset'])('that are cut off (%s) leave nothing', async (how) => {
    const bytes = randomBytes(900_000)
    async function* cut() {
      for await (const message of upload(statement({ attachments: [attachment(bytes)] }), [
        { sha2: sha256(bytes), content: bytes },
      ])) {
        if (message.part?.case !== 'end') yield message
      }
      if (how === 'ended') return
      await new Promise((resolve) => setTimeout(resolve, 200))
      throw new Error('gone')
    }
    await refusal(game.rpc().attachments.storeWithAttachments(cut()))
    await expect.poll(() => system.database.sql('select id from attachment where sha2 is null')).toEqual([])
    expect((await refusal(read(game.rpc(), sha256(bytes)))).code).toBe(Code.NotFound)
  })

  test.each(['launch token', 'secret'])('that come while the secret is rotated, with the %s', async (how) => {
    const { sha2, content: bytes } = content('before and after')
    const rotated = await system.game()
    const client = how === 'secret' ? rotated.rpc() : system.connections[0]!.as(await rotated.launch(statement().actor))
    async function* slow() {
      for await (const message of upload(statement({ attachments: [attachment(bytes)] }), [{ sha2, content: bytes }])) {
        if (message.part?.case === 'end') await system.admin.identity.rotateCredential({ key: rotated.key })
        yield message
      }
    }
    const sent = client.attachments.storeWithAttachments(slow())
    if (how === 'secret') expect((await refusal(sent)).code).toBe(Code.Unauthenticated)
    else expect((await sent).ids).toHaveLength(1)
  })

  test('are at most 250, of 32 MiB together', async () => {
    const none = content('')
    const many = Array(251).fill(none)
    expect(
      (
        await refusal(
          game.rpc().attachments.storeWithAttachments(upload(statement({ attachments: [attachment('')] }), many)),
        )
      ).rawMessage,
    ).toMatch(/at most 250/)
    const film = Buffer.alloc(33 * 1024 * 1024)
    const large = upload(statement({ attachments: [attachment(film)] }), [{ sha2: sha256(film), content: film }])
    expect((await refusal(game.rpc().attachments.storeWithAttachments(large))).code).toBe(Code.ResourceExhausted)
  })

  test('reach the relay with the token of a gateway only', async () => {
    const client = new Client(`127.0.0.1:${system.cores[0]!.relayPort}`, credentials.createInsecure())
    for (const token of [undefined, 'Bearer wrong', `Bearer ${tokens.admin}`]) {
      const metadata = new Metadata()
      metadata.set('authorization', game.authorization)
      if (token) metadata.set('x-lrs-gateway', token)
      const bytes = () => Buffer.alloc(0)
      const error = await new Promise((resolve) => {
        client
          .makeServerStreamRequest('/lrs.v1.AttachmentService/GetAttachment', bytes, bytes, {}, metadata)
          .on('error', resolve)
          .resume()
      })
      expect(error).toMatchObject({ code: status.UNAUTHENTICATED })
    }
    client.close()
  })

  test('that no statement has are swept away after an hour', async () => {
    const { attachments } = system.cores[0]!.store
    await system.database.sql('delete from attachment where not referenced')
    const old = await attachments.keep(1, undefined, 0, Buffer.from('old'), sha256('old'), 3)
    await system.database.sql(
      "update attachment set touched = now() - interval '2 hours' where id = $1 or referenced",
      [old / 16],
    )
    const young = await attachments.keep(1, undefined, 0, Buffer.from('young'), sha256('young'), 5)
    await system.database.sql("update attachment set touched = now() - interval '50 minutes' where id = $1", [
      young / 16,
    ])
    const before = await system.database.sql('select id from attachment where referenced')
    expect(await attachments.sweep(3600, 100)).toBe(1)
    expect(await system.database.sql('select id from attachment where not referenced')).toEqual([
      { id: String(young / 16) },
    ])
    expect(await system.database.sql('select id from attachment where referenced')).toEqual(before)
  })
})
