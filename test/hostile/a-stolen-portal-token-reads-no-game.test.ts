import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bestOfThree, processorTime } from '../support/cost.ts'
import { reasonOf } from '../support/failures.ts'
import { startLaunches, type Launches } from '../support/launches.ts'
import { player, statement } from '../support/statements.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'

let { system, fox, owl, game, sandbox, xapi, play } = {} as Launches
/** Keys of a game of Blue Fox, of its sandbox, of a game without a studio; and an unknown key. */
let keys: { live: string; sandbox: string; admins: string; unknown: string }
const ids = { live: randomUUID(), sandbox: randomUUID() }
beforeAll(async () => {
  ;({ system, fox, owl, game, sandbox, xapi, play } = await startLaunches())
  const launch = (await play({ learnerName: 'Ann' })).launch!
  await xapi(launch).put(ids.live, statement({ id: ids.live, actor: JSON.parse(launch.actor) }))
  const trial = await sandbox()
  await xapi(trial).put(ids.sandbox, statement({ id: ids.sandbox, actor: JSON.parse(trial.actor) }))
  const { credential, sandboxKey } = (await fox.on().games.getGame({ gameId: game.id })).game!
  keys = { live: credential!.key, sandbox: sandboxKey, admins: (await system.game()).key, unknown: 'nobody' }
})
afterAll(() => system.close())

/** The portal's token with the key of a game, and the session of a studio if given. */
const withToken = (key: string, session?: string) =>
  system.connections[1]!.as(bearer(tokens.portal), {
    'x-lrs-credential': key,
    ...(session !== undefined && { 'x-lrs-session': session }),
  })

/** The first message of a stream, which then ends. */
async function firstOf<Message>(open: (options: { signal: AbortSignal }) => AsyncIterable<Message>) {
  const leave = new AbortController()
  for await (const message of open({ signal: leave.signal })) {
    leave.abort()
    return message
  }
  throw new Error('the stream had no message')
}

test('the token of the portal reads no statement without the session of the studio whose game it is', async () => {
  for (const key of Object.values(keys)) {
    for (const [session, reason] of [
      [undefined, 'UNAUTHENTICATED'],
      ['x'.repeat(43), 'UNAUTHENTICATED'],
      [owl.session, 'NOT_FOUND'],
    ] as const) {
      const { statements } = withToken(key, session)
      expect(await reasonOf(statements.queryStatements({})), key).toBe(reason)
      expect(await reasonOf(statements.getStatement({ statementId: ids.live })), key).toBe(reason)
      expect(await reasonOf(firstOf((options) => statements.follow({}, options))), key).toBe(reason)
    }
  }
})

test('with that session it reads that game and its sandbox, and no other', async () => {
  const idsIn = async (key: string) =>
    (await withToken(key, fox.session).statements.queryStatements({})).json.map(
      (bytes) => JSON.parse(Buffer.from(bytes).toString()).id,
    )
  expect(await idsIn(keys.live)).toEqual([ids.live])
  const { statements } = withToken(keys.live, fox.session)
  const followed = await firstOf((options) => statements.follow({}, options))
  expect(followed.json.map((bytes) => JSON.parse(Buffer.from(bytes).toString()).id)).toEqual([ids.live])
  expect(await idsIn(keys.sandbox)).toEqual([ids.sandbox])
  // a game without a studio is answered like an unknown one
  for (const key of [keys.admins, keys.unknown])
    expect(await reasonOf(withToken(key, fox.session).statements.queryStatements({}))).toBe('NOT_FOUND')
})

test('it writes nothing, and reads no document, attachment or person, with any session', async () => {
  const agent = JSON.stringify(player('ann'))
  const scope = { kind: { case: 'agentProfile' as const, value: { agent } } }
  for (const session of [undefined, owl.session, fox.session]) {
    const { statements, documents, attachments, admin } = withToken(keys.live, session)
    const refused = [
      statements.storeStatements({ json: Buffer.from(JSON.stringify([statement()])) }),
      statements.getPerson({ agent }),
      statements.getActivity({ activityId: 'https://example.org/a' }),
      documents.putDocument({ scope, id: 'x', contentType: 'text/plain' }),
      documents.getDocument({ scope, id: 'x' }),
      documents.listDocuments({ scope }),
      documents.deleteDocument({ scope, id: 'x' }),
      documents.deleteDocuments({ scope }),
      attachments.storeWithAttachments(
        (async function* () {
          yield { part: { case: 'statements' as const, value: {} } }
        })(),
      ),
      admin.importStatements(
        (async function* () {
          yield { part: { case: 'end' as const, value: {} } }
        })(),
      ),
      firstOf((options) => attachments.getAttachment({ sha2: 'a'.repeat(64) }, options)),
    ]
    expect(await Promise.all(refused.map(reasonOf))).toEqual(refused.map(() => 'FORBIDDEN'))
  }
})

test('pages that follow the statements of a game leave room for its services, and end when their viewers leave', async () => {
  const { pageFollowers } = system.cores[1]!
  const leave = new AbortController()
  const { statements } = withToken(keys.live, fox.session)
  const open = Array.from({ length: 20 }, async () => {
    for await (const _ of statements.follow({}, { signal: leave.signal })) continue
  })
  await expect.poll(pageFollowers.count).toBe(20)
  expect(await reasonOf(firstOf((options) => statements.follow({}, options)))).toBe('UNAVAILABLE')
  const service = system.connections[1]!.as(bearer(tokens.service), { 'x-lrs-credential': keys.live })
  expect((await firstOf((options) => service.statements.follow({}, options))).json).toHaveLength(1)
  leave.abort()
  await Promise.allSettled(open)
  await expect.poll(pageFollowers.count).toBe(0)
})

test.each(['portal', 'player', 'gateway'] as const)(
  'a message of a million fields with the token of the %s costs next to nothing',
  bestOfThree,
  async (role) => {
    const began = processorTime()
    const response = await fetch(`http://127.0.0.1:${system.cores[0]!.port}/lrs.v1.StatementService/StoreStatements`, {
      method: 'POST',
      headers: { authorization: bearer(tokens[role]), 'content-type': 'application/proto' },
      body: Buffer.alloc(2 * 1024 * 1024, Buffer.from([0x12, 0])),
    })
    expect(await response.json()).toMatchObject({ code: 'resource_exhausted' })
    expect(processorTime() - began).toBeLessThan(500)
  },
)
