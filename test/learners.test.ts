import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EraseLearnerResponse } from '../gen/lrs/v1/admin_pb.js'
import type { StoreWithAttachmentsRequestSchema } from '../gen/lrs/v1/attachments_pb.js'
import type { CoreClient } from './support/core-client.ts'
import type { Game } from './support/games.ts'
import { activity, player, reference, statement, verb, voiding, type Json } from './support/statements.ts'
import { startSystem, type System } from './support/system.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 0 })
})
afterAll(() => system.close())

let count = 0
/** A learner that no other test has. */
const someone = (name = 'Ann Example') => ({ ...player(`learner-${count++}`), name })
const json = (value: unknown) => JSON.stringify(value)
const store = async (game: Game, what: Json[], core = 0) =>
  (await game.rpc(core).statements.storeStatements({ json: Buffer.from(json(what)) })).ids

async function exported({ admin }: CoreClient, agent: object) {
  const parts: Json[] = []
  for await (const { part } of admin.exportLearner({ agent: json(agent) })) parts.push(part)
  const of = (kind: string) => parts.filter((part) => part.case === kind).map(({ value }) => value)
  expect(parts.at(-1)!.case).toBe('end')
  return {
    person: JSON.parse(Buffer.from(of('learner')[0].person).toString()),
    end: of('end')[0],
    documents: of('document'),
    statements: of('statement').map((one) => ({ ...one, json: JSON.parse(Buffer.from(one.json).toString()) })),
  }
}

/** What a search by agent finds, in the game. */
const found = async (game: Game, agent: object, relatedAgents = true): Promise<string[]> =>
  (await game.rpc().statements.queryStatements({ agent: json(agent), relatedAgents })).json.map(
    (one) => JSON.parse(Buffer.from(one).toString()).id,
  )

/** Every place in the database in which the text stands. */
async function traces(text: string): Promise<string[]> {
  const columns = await system.database.sql<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns where table_schema = current_schema() and data_type in ('text', 'jsonb')`,
  )
  const places = await Promise.all(
    columns.map(async ({ table, column }) => {
      const [row] = await system.database.sql<{ count: number }>(
        `select count(*)::int from ${table} where position($1 in ${column}::text) > 0`,
        [text],
      )
      return row!.count > 0 ? `${table}.${column}` : ''
    }),
  )
  return places.filter((place) => place !== '')
}

describe('what is held on one learner', () => {
  test('is exported from all games: own statements, mentions, voided ones, documents, names', async () => {
    const [chess, go] = [await system.game(), await system.game()]
    const ann = someone()
    const [first, gone] = await store(chess, [
      statement({ actor: ann }),
      statement({ actor: { ...ann, name: 'Annie' } }),
    ])
    await store(chess, [voiding(gone!)])
    const [mention] = await store(go, [statement({ actor: player('teacher'), context: { instructor: ann } })])
    await store(go, [statement({ actor: player('other') })])
    const scope = { activityId: activity('chess').id, agent: json(ann) }
    await chess.rpc().documents.putDocument({
      scope: { kind: { case: 'state', value: { ...scope, registration: '11111111-0000-4000-8000-00000000000a' } } },
      id: 'save',
      content: Buffer.from('{"level": 3}'),
      contentType: 'application/json',
    })
    await go.rpc().documents.putDocument({
      scope: { kind: { case: 'state', value: scope } },
      id: 'save',
      content: Buffer.from([0, 255]),
      contentType: 'application/octet-stream',
    })
    await go.rpc().documents.putDocument({
      scope: { kind: { case: 'agentProfile', value: { agent: json(ann) } } },
      id: 'me',
      content: Buffer.from('{}'),
      contentType: 'application/json',
      precondition: { ifNoneMatch: '*' },
    })
    const { person, statements, documents, end } = await exported(system.admin, ann)
    expect(person.name.sort()).toEqual(['Ann Example', 'Annie'])
    expect(statements.map(({ json, gameId, own, voided }) => [json.id, gameId, own, voided])).toEqual([
      [first, chess.id, true, false],
      [gone, chess.id, true, true],
      [mention, go.id, false, false],
    ])
    expect(
      documents
        .map(({ kind, gameId, activityId, registration, id, content }) => [
          kind,
          gameId,
          activityId,
          registration,
          id,
          Buffer.from(content).toString('hex'),
        ])
        .sort(),
    ).toEqual(
      [
        ['agent-profile', '', '', '', 'me', '7b7d'],
        [
          'state',
          chess.id,
          scope.activityId,
          '11111111-0000-4000-8000-00000000000a',
          'save',
          Buffer.from('{"level": 3}').toString('hex'),
        ],
        ['state', go.id, scope.activityId, '', 'save', '00ff'],
      ].sort(),
    )
    expect(end).toMatchObject({ statements: 3n, documents: 3n })
    // a team is exported like a learner
    expect((await exported(system.admin, { objectType: 'Group', mbox: 'mailto:g@example.org' })).statements).toEqual([])
    await expect(exported(system.admin, {})).rejects.toMatchObject({ code: Code.InvalidArgument })
  })

  test('is exported in pages, none missed', async () => {
    const game = await system.game()
    const ann = someone()
    const sent: string[] = []
    for (let n = 0; n < 5; n++)
      sent.push(
        ...(await store(
          game,
          Array.from({ length: 90 }, () => statement({ actor: ann, result: { response: 'x'.repeat(4_000) } })),
        )),
      )
    expect((await exported(system.admin, ann)).statements.map(({ json }) => json.id)).toEqual(sent)
  })
})

describe('erasing a learner', () => {
  test('leaves no trace: own statements go, a pseudonym stands where others named the learner', async () => {
    const [chess, go] = [await system.game(), await system.game()]
    const ann = someone('Nonesuch Name')
    const trace = ann.account!.name
    const group = { objectType: 'Group', member: [player('ben'), ann] }
    const own = await store(chess, [
      statement({ actor: ann }),
      statement({ actor: player('teacher'), object: { ...ann } }),
    ])
    const others = await store(go, [
      statement({ actor: player('ben'), context: { instructor: ann, team: group } }),
      statement({ actor: group }),
      statement({
        actor: player('ben'),
        object: { objectType: 'SubStatement', actor: ann, verb: verb('plays'), object: activity('go') },
      }),
    ])
    const [aboutOwn] = await store(chess, [
      statement({ actor: player('ben'), verb: verb('liked'), object: reference(own[0]!) }),
    ])
    const [aboutGroup] = await store(go, [
      statement({ actor: player('ben'), verb: verb('liked'), object: reference(others[1]!) }),
    ])
    expect(await found(chess, ann)).toContain(aboutOwn)
    await chess.rpc().documents.putDocument({
      scope: { kind: { case: 'state', value: { activityId: activity('chess').id, agent: json(ann) } } },
      id: 'save',
      content: Buffer.from('1'),
      contentType: 'text/plain',
    })
    await go.rpc().documents.putDocument({
      scope: { kind: { case: 'agentProfile', value: { agent: json(ann) } } },
      id: 'me',
      content: Buffer.from('{}'),
      contentType: 'application/json',
      precondition: { ifNoneMatch: '*' },
    })

    const preview = await system.admin.admin.eraseLearner({ agent: json(ann), preview: true })
    expect(await found(chess, ann)).toHaveLength(3)
    const receipt = await system.admin.admin.eraseLearner({ agent: json(ann) })
    expect(receipt).toMatchObject({
      statements: 2n,
      pseudonymised: 3n,
      states: 1n,
      agentProfiles: 1n,
      names: 1n,
      accounts: 0n,
      games: 2n,
      receiptId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect({ ...preview, receiptId: '', erased: 0n }).toEqual({ ...receipt, receiptId: '', erased: 0n })

    expect(await traces(trace)).toEqual([])
    expect(await traces('Nonesuch')).toEqual([])
    for (const game of [chess, go]) expect(await found(game, ann)).toEqual([])
    await expect(chess.rpc().statements.getPerson({ agent: json(ann) })).rejects.toMatchObject({ code: Code.NotFound })
    expect((await exported(system.admin, ann)).end).toMatchObject({ statements: 0n, documents: 0n })

    const read = async (game: Game, id: string) =>
      JSON.parse(Buffer.from((await game.rpc().statements.getStatement({ statementId: id })).json).toString())
    const [instructed, played, planned] = await Promise.all(others.map((id) => read(go, id)))
    const pseudonym = instructed.context.instructor
    expect(pseudonym).toEqual({
      objectType: 'Agent',
      account: { homePage: 'https://lrs.example.org/erased', name: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    })
    expect([instructed.context.team.member[1], played.actor.member[1], planned.object.actor]).toEqual([
      pseudonym,
      pseudonym,
      pseudonym,
    ])
    expect(played.actor.member[0]).toEqual(player('ben'))
    // the pseudonym is found like everybody, and so is what refers to it
    expect((await found(go, pseudonym)).sort()).toEqual([...others, aboutGroup].sort())
    expect(await read(chess, aboutOwn!)).toMatchObject({ object: { id: own[0] } })
    expect((await found(chess, player('ben'))).sort()).toEqual([aboutOwn])
    // nothing in an index leads to a statement that is gone
    expect(
      await system.database.sql(
        'select from posting p where not exists (select from statement s where s.game = p.game and s.stored = p.target)',
      ),
    ).toEqual([])
  })

  test('takes the account that the player made, and leaves contents of attachments to the sweep unless others have them', async () => {
    const game = await system.game()
    const [row] = await system.database.sql<{ uuid: string }>(
      `with l as (insert into learner (game, kind, name) select id, 'invited', 'Hal Nonesuch' from game where uuid = $1 returning game, uuid),
        i as (insert into invitation (game, learner, code_hash) select game, uuid, '\\x01' from l)
      select uuid from l`,
      [game.id],
    )
    const hal = { account: { homePage: 'https://lrs.example.org/learners', name: row!.uuid } }
    const [own, shared] = [Buffer.from('only of Hal'), Buffer.from('of both')]
    const attachment = (content: Buffer) => ({
      usageType: 'https://e.example/file',
      display: { en: 'File' },
      contentType: 'text/plain',
      length: content.length,
      sha2: createHash('sha256').update(content).digest('hex'),
    })
    async function* upload(
      what: Json,
      contents: Buffer[],
    ): AsyncGenerator<MessageInitShape<typeof StoreWithAttachmentsRequestSchema>> {
      yield { part: { case: 'statements', value: { json: Buffer.from(json(what)) } } }
      for (const content of contents) {
        yield { part: { case: 'begin', value: { sha2: attachment(content).sha2 } } }
        yield { part: { case: 'content', value: content } }
      }
      yield { part: { case: 'end', value: {} } }
    }
    const { attachments } = game.rpc()
    await attachments.storeWithAttachments(
      upload(statement({ actor: hal, attachments: [attachment(own), attachment(shared)] }), [own, shared]),
    )
    await attachments.storeWithAttachments(upload(statement({ attachments: [attachment(shared)] }), [shared]))
    for await (const { part } of system.admin.admin.exportLearner({ agent: json(hal) })) {
      if (part.case === 'learner')
        expect(part.value.account).toMatchObject({ name: 'Hal Nonesuch', kind: 'invited', gameId: game.id })
    }
    expect(await system.admin.admin.eraseLearner({ agent: json(hal) })).toMatchObject({
      statements: 1n,
      accounts: 1n,
      attachments: 1n,
    })
    expect([...(await traces(row!.uuid)), ...(await traces('Hal Nonesuch'))]).toEqual([])
    expect(await system.cores[0]!.store.attachments.sweep(-1, 10)).toBe(1)
    for await (const { content } of attachments.getAttachment({ sha2: attachment(shared).sha2 }))
      expect(Buffer.from(content)).toEqual(shared)
  })

  test('lets the learner start again: no core remembers what it knew', async () => {
    const game = await system.game()
    const ann = someone('Cara')
    for (const core of [0, 1, 0, 1]) await store(game, [statement({ actor: ann })], core)
    expect((await system.admin.admin.eraseLearner({ agent: json(ann) })).statements).toBe(4n)
    for (const core of [1, 0]) {
      await store(game, [statement({ actor: ann })], core)
      expect(
        JSON.parse(Buffer.from((await game.rpc(core).statements.getPerson({ agent: json(ann) })).json).toString()).name,
      ).toEqual(['Cara'])
      if (core === 1) await system.admin.admin.eraseLearner({ agent: json(ann) })
    }
  })

  test('takes references to what is gone away, in chains too', async () => {
    const game = await system.game()
    const ann = someone()
    const [base] = await store(game, [statement({ actor: player('ben'), verb: verb('based') })])
    const [middle] = await store(game, [statement({ actor: ann, object: reference(base!) })])
    const [top] = await store(game, [statement({ actor: player('cem'), object: reference(middle!) })])
    const based = async () =>
      (await game.rpc().statements.queryStatements({ verb: verb('based').id, ascending: true })).json.map(
        (one) => JSON.parse(Buffer.from(one).toString()).id,
      )
    expect(await based()).toEqual([base, middle, top])
    await system.admin.admin.eraseLearner({ agent: json(ann) })
    expect(await based()).toEqual([base])
    // stored once more (an import, say) all is as it was
    await store(game, [statement({ id: middle, actor: player('dan'), object: reference(base!) })])
    expect(new Set(await based())).toEqual(new Set([base, middle, top]))
  })

  test('goes on while eight write: each statement is counted once, and none is left', async () => {
    const game = await system.game()
    const ann = someone('Busy')
    let stop = false
    let written = 0
    const writers = Array.from({ length: 8 }, async (_, n) => {
      const batch = () =>
        Array.from({ length: 5 }, () =>
          statement({ actor: n % 2 ? ann : player('ben'), context: { team: { objectType: 'Group', member: [ann] } } }),
        )
      while (!stop) {
        const ids = await store(game, batch(), n % 2)
        written += ids.length
        // the erasures have to get their turn on a busy machine, too
        await sleep(20)
      }
    })
    const receipts: EraseLearnerResponse[] = []
    for (let n = 0; n < 3; n++) {
      await sleep(150)
      receipts.push(await system.admin.admin.eraseLearner({ agent: json(ann) }))
    }
    stop = true
    await Promise.all(writers)
    receipts.push(await system.admin.admin.eraseLearner({ agent: json(ann) }))
    const sum = (pick: (one: EraseLearnerResponse) => bigint) =>
      Number(receipts.reduce((total, one) => total + pick(one), 0n))
    expect(sum((one) => one.statements) + sum((one) => one.pseudonymised)).toBe(written)
    expect(await traces(ann.account!.name)).toEqual([])
    expect(await found(game, ann)).toEqual([])
    const rows = await system.database.sql<{ count: number }>(
      'select count(*)::int from statement s join game g on g.id = s.game where g.uuid = $1',
      [game.id],
    )
    expect(rows[0]!.count).toBe(sum((one) => one.pseudonymised))
  })
})
