import { isDeepStrictEqual } from 'node:util'
import { fromJson, toJson, type JsonValue } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FailureSchema, Reason } from '../gen/lrs/v1/failure_pb.js'
import { Form } from '../gen/lrs/v1/statements_pb.js'
import { StatementSchema, type Statement } from '../gen/lrs/v1/xapi_pb.js'
import { statementCases, type StatementCase } from './cases/expand.ts'
import { inTurns } from './support/in-turns.ts'
import { startSystem, type System } from './support/system.ts'
import type { Game } from './support/games.ts'
import type { Json } from './support/statements.ts'

type Calls = ReturnType<Game['rpc']>['statements']

let system: System
let game: Game
beforeAll(async () => {
  system = await startSystem()
  game = await system.game()
})
afterAll(() => system.close())

/** Valid cases get ids of their own: many carry the same one. */
function numbered(statement: unknown, n: number, version: string): Json {
  const id = `00000000-0000-4000-8${version[0]}00-${n.toString(16).padStart(12, '0')}`
  const sent = JSON.parse(JSON.stringify(statement))
  return { ...sent, id: sent.id === undefined ? id : id.toUpperCase() }
}

/** With lists in the place of single context activities, as the standard has them stored. */
function withLists(statement: Json): Json {
  const copy = structuredClone(statement)
  for (const one of [copy, copy.object]) {
    const lists = one?.context?.contextActivities
    for (const key in lists ?? {}) lists[key] = [lists[key]].flat()
  }
  return copy
}

/** What came from the client and is to come back; the service sets the rest. */
function comparable(statement: Json): Json {
  const {
    id: _id,
    stored: _stored,
    authority: _authority,
    version: _version,
    timestamp: _timestamp,
    ...rest
  } = withLists(statement)
  return rest
}

/** Whether there is an empty text, list or map, which Protobuf does not tell from one that is missing. */
function hasEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === ''
  const entries = Object.entries(value)
  return (
    entries.length === 0 ||
    entries.some(([key, member]) => (key === 'extensions' ? Object.keys(member).length === 0 : hasEmpty(member)))
  )
}

/** Without empty texts, lists and maps. */
function withoutEmpty(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value === '' ? undefined : value
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutEmpty)
  const left = Object.entries(value)
    .map(([key, member]) => [key, withoutEmpty(member)] as const)
    .filter(([, member]) => member !== undefined)
  return left.length === 0 ? undefined : Object.fromEntries(left)
}

const found = (statements: Calls, statementId: string, form: Form) =>
  statements
    .getStatement({ statementId, form })
    .catch(() => statements.getStatement({ voidedStatementId: statementId, form }))

/** The typed message whose ProtoJSON this is; none: there is no such message. */
function messageOf(statement: unknown): Statement[] {
  try {
    const json = withLists(statement as Json) as JsonValue
    const message = fromJson(StatementSchema, json)
    return isDeepStrictEqual(toJson(StatementSchema, message), json) ? [message] : []
  } catch {
    return []
  }
}

/** Ids of what is stored, 50 at a time: that each alone is valid is shown over HTTP. */
async function storedTogether<One>(
  list: readonly One[],
  store: (batch: One[]) => Promise<{ ids: string[] }>,
): Promise<string[]> {
  const batches = Array.from({ length: Math.ceil(list.length / 50) }, (_, n) => list.slice(n * 50, n * 50 + 50))
  return (await inTurns(batches, 4, async (batch) => (await store(batch)).ids)).flat()
}

const hasLoneSurrogate = (value: unknown) => /\\ud[89a-f]/.test(JSON.stringify(value))

/**
 * Every case runs pure (`core/records/xapi/validate.test.ts`). Here `npm test` sends a third of them, each in one way by turns;
 * `npm run long` sends each in every way.
 */
const runs = (['1.0.3', '2.0.0'] as const).flatMap((version) => [
  { version, ways: 'one way', tags: [] },
  { version, ways: 'every way', tags: 'long' },
])
for (const { version, ways, tags } of runs)
  describe(`every statement requirement in ${ways}, version ${version}`, { tags }, () => {
    /** In every way the whole list, else each item whose number leaves `turn` when divided by `of`. */
    const turn = <One>(list: readonly One[], turn: number, of: number): One[] =>
      list.filter((_, n) => ways === 'every way' || n % of === turn)
    const cases = statementCases().filter(({ versions }) => versions.includes(version))
    const refused = cases.filter(
      (one): one is StatementCase & { expect: { path: string; what?: string } } => one.expect !== 'ok',
    )
    const accepted = cases
      .filter((one) => one.expect === 'ok')
      .map((one, n) => ({ ...one, statement: numbered(one.statement, n, version) }))
    // the way is the same in both versions: once for what both have; that the rules are those of the version is shown by
    // JSON
    const own = <One extends { versions: readonly string[] }>(list: readonly One[]): One[] =>
      list.filter(({ versions }) => version === '1.0.3' || versions.length === 1)
    const title = ({ requirement, about }: StatementCase) => `${requirement}: ${about}`
    const body = (statement: unknown) => Buffer.from(JSON.stringify(statement))

    test('is met over RPC: refusals name the place', async () => {
      const { statements } = game.rpc(0, version)
      const wrong = await inTurns(turn(refused, 0, 6), 32, async (one) => {
        const error = await statements
          .storeStatements({ json: body([one.statement]) })
          .then(() => 'stored', ConnectError.from)
        if (typeof error === 'string') return `${title(one)}: ${error}`
        const [failure] = error.findDetails(FailureSchema)
        const path = `statements[0]${/^(\[|$)/.test(one.expect.path) ? '' : '.'}${one.expect.path}`
        const asExpected =
          error.code === Code.InvalidArgument && failure?.reason === Reason.INVALID && failure.path === path
        return asExpected && failure.message.includes(one.expect.what ?? '')
          ? undefined
          : `${title(one)}: ${error.message}, ${failure?.path} instead of ${path}`
      })
      expect(wrong).toEqual([])
    })

    test('is met over HTTP: refusals are 400 with a message that names the place', async () => {
      const xapi = game.xapi(0, version)
      const wrong = await inTurns(turn(own(refused), 1, 6), 32, async (one) => {
        const { status, text } = await xapi.post(JSON.stringify(one.statement))
        const message = status === 400 ? JSON.parse(text).message : ''
        return message.includes(one.expect.path) && message.includes(one.expect.what ?? '')
          ? undefined
          : `${title(one)}: ${status} ${text}`
      })
      expect(wrong).toEqual([])
    })

    test('is met over HTTP: what is valid is stored and comes back as it came', async () => {
      const xapi = game.xapi(0, version)
      const wrong = await inTurns(turn(accepted, 0, 6), 16, async (one) => {
        const { status, text } = await xapi.post(one.statement)
        const id = one.statement.id.toLowerCase()
        if (status !== 200 || text !== JSON.stringify([id])) return `${title(one)}: ${status} ${text}`
        const found = await xapi.get({ statementId: id })
        // one that is voided is found by the other parameter only
        const { json } = found.status === 404 ? await xapi.get({ voidedStatementId: id }) : found
        expect(comparable(json), title(one)).toEqual(comparable(one.statement))
        expect(json).toMatchObject({
          id,
          timestamp: one.statement.timestamp ?? expect.stringMatching(/\.\d{3,}Z$/),
          authority: { account: { name: game.key } },
        })
        return undefined
      })
      expect(wrong).toEqual([])
    })

    test('the typed message of what is valid has that xAPI JSON as its ProtoJSON, stored and read', async () => {
      const { statements } = (await system.game()).rpc(0, version)
      const all = turn(own(accepted), 1, 12)
      const whole = all.filter(({ statement }) => !hasEmpty(statement) && !hasLoneSurrogate(statement))
      expect(whole.length).toBeGreaterThan(all.length * 0.6)
      const messages = whole.map((one) => {
        const sent = withLists(one.statement)
        const message = fromJson(StatementSchema, sent as JsonValue)
        expect(toJson(StatementSchema, message), title(one)).toEqual(sent)
        return message
      })
      const ids = await storedTogether(messages, (batch) => statements.storeStatements({ statements: batch }))
      const wrong = await inTurns(whole, 16, async (one, index) => {
        const sent = withLists(one.statement)
        const statementId = ids[index]
        const { statement } = await found(statements, statementId!, Form.TYPED)
        expect(comparable(toJson(StatementSchema, statement!)), title(one)).toEqual(comparable(sent))
        // and what was sent typed is that xAPI JSON for readers of JSON
        const { json } = await found(statements, statementId!, Form.JSON)
        expect(comparable(JSON.parse(Buffer.from(json).toString())), title(one)).toEqual(comparable(sent))
        return undefined
      })
      expect(wrong).toEqual([])
    })

    test('what is valid and stored as xAPI JSON is read typed as that JSON, but for what is empty', async () => {
      const { statements } = (await system.game()).rpc(0, version)
      const whole = turn(own(accepted), 3, 12).filter(({ statement }) => !hasLoneSurrogate(statement))
      const ids = await storedTogether(whole, (batch) =>
        statements.storeStatements({ json: body(batch.map(({ statement }) => statement)) }),
      )
      const wrong = await inTurns(whole, 16, async (one, index) => {
        const { statement } = await found(statements, ids[index]!, Form.TYPED)
        expect(withoutEmpty(comparable(toJson(StatementSchema, statement!))), title(one)).toEqual(
          withoutEmpty(comparable(one.statement)),
        )
        return undefined
      })
      expect(wrong).toEqual([])
    })

    test('what is refused as xAPI JSON is refused typed, where a message has that JSON', async () => {
      const { statements } = game.rpc(0, version)
      const all = turn(own(refused), 2, 12)
      const typed = all.flatMap((one) => messageOf(one.statement).map((message) => ({ one, message })))
      expect(typed.length).toBeGreaterThan(all.length * 0.3)
      const wrong = await inTurns(typed, 32, ({ one, message }) =>
        statements.storeStatements({ statements: [message] }).then(
          () => `${title(one)}: stored`,
          (error: unknown) =>
            ConnectError.from(error).code === Code.InvalidArgument ? undefined : `${title(one)}: ${String(error)}`,
        ),
      )
      expect(wrong).toEqual([])
    })
  })
