import { ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newPersonalToken } from '../core/accounts/access/personal-tokens.ts'
import { hashSecret, newSecret } from '../core/process/secret.ts'
import { declaredOf } from '../core/rpc/services/services.ts'
import { tokenScopes, type TokenScope } from '../core/accounts/rules/token-scopes.ts'
import { FailureSchema, Reason } from '../gen/lrs/v1/failure_pb.js'
import { UploadKind } from '../gen/lrs/v1/uploads_pb.js'
import { contract, leastMessage } from './support/contract.ts'
import type { CoreClient } from './support/core-client.ts'
import { codeOf, password, senderIp, startMailed, type Mailed } from './support/mailed.ts'
import { addStudio, type Studio } from './support/studios.ts'
import { tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'
import { scopes as offered } from '../portal/pages/accounts/account/tokens.ts'

let mailed: Mailed
let system: System
let fox: Studio
let owl: Studio
let school: Studio
let gameId: string
const allScopes = Object.keys(tokenScopes)
beforeAll(async () => {
  mailed = await startMailed()
  ;({ system } = mailed)
  fox = await addStudio(system, 'Blue Fox')
  owl = await addStudio(system, 'Owl')
  school = await addStudio(system, 'Hill School', { kind: 'school' })
  await system.database.sql('update account set email_verified = now() where id = $1', [school.account])
  gameId = (await fox.on().games.createGame({ name: 'Quiz' })).gameId
})
afterAll(() => mailed.close())

const holding = (token: string): CoreClient => system.connections[0]!.as(bearer(token))

async function tokenOf(studio: Studio, scopes: readonly string[] = allScopes, days = 0): Promise<string> {
  return (await studio.on().tokens.createToken({ name: 'CI', scopes: [...scopes], days })).token
}

/** Another member of the first studio, signed in. */
async function member(role: 'owner' | 'developer' | 'analyst'): Promise<{ account: number; on: CoreClient }> {
  const session = newSecret()
  const [row] = await system.database.sql<{ account: number }>(
    `with a as (insert into account (email, email_verified) values ($1, now()) returning id),
      m as (insert into member (studio, account, role) select $2, id, $3 from a)
    insert into studio_session (hash, account, studio, expires)
    select $4, id, $2, now() + interval '1 hour' from a returning account`,
    [`${role}-${session.slice(0, 8)}@example.org`, fox.id, role, hashSecret(session)],
  )
  return { account: row!.account, on: system.connections[0]!.as(bearer(tokens.portal), { 'x-lrs-session': session }) }
}

const failureOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  const [failure] = error === undefined ? [] : ConnectError.from(error).findDetails(FailureSchema)
  return failure && `${Reason[failure.reason]}: ${failure.message}`
}

test('a token does for its studio what its scopes say, and reaches no other studio', async () => {
  const core = holding(await tokenOf(fox))
  expect((await core.games.listGames({})).games.map((game) => game.gameId)).toEqual([gameId])
  expect((await core.accounts.getAccount({})).email).toBe(fox.email)
  const made = await core.games.createGame({ name: 'By CI' })
  const asked = { gameId: made.gameId, kind: UploadKind.BROWSER_BUILD, fileName: 'quiz.zip', size: 1_000n }
  expect((await core.uploads.requestUpload(asked)).upload!.uploadId).toMatch(/-/)
  const { entries } = await core.audit.listOwnEntries({ filter: { action: 'game.create' } })
  expect(entries[0]).toMatchObject({ token: 'CI', actor: { name: fox.email }, subject: { name: 'By CI' } })
  const other = await owl.on().games.createGame({ name: 'Of Owl' })
  expect(await failureOf(core.games.getGame({ gameId: other.gameId }))).toMatch(/^NOT_FOUND/)
  expect(await failureOf(core.games.listReviews({}))).toMatch(/^FORBIDDEN: A personal token cannot do this/)
})

test('the finder of an open session makes no token: that takes a confirmation of the last 15 minutes', async () => {
  const cat = await addStudio(system, 'Cat')
  const past = (minutes: number) =>
    system.database.sql('update studio_session set proved = now() - make_interval(mins => $2) where account = $1', [
      cat.account,
      minutes,
    ])
  await past(16)
  expect(await failureOf(tokenOf(cat))).toBe('FORBIDDEN: Confirm first that it is you.')
  expect((await cat.on().tokens.listTokens({})).tokens).toEqual([])
  await past(14)
  expect(await tokenOf(cat)).toMatch(/^lrspt_/)
})

test('no method can be called by a token beyond its scope', async () => {
  const sessionManager = new Http2SessionManager(`http://127.0.0.1:${system.cores[0]!.port}`)
  const methods = contract.filter(({ typeName }) => typeName.startsWith('lrs.v1.')).flatMap(({ methods }) => methods)
  const id = gameId.replace(/^.{4}/, 'ffff')
  try {
    for (const scope of [...(allScopes as TokenScope[]), undefined]) {
      const token = await tokenOf(scope === 'roster' ? school : fox, scope ? [scope] : ['read'])
      const transport = createGrpcTransport({
        baseUrl: sessionManager.authority,
        sessionManager,
        interceptors: [
          (next) => (request) => {
            request.header.set('authorization', bearer(token))
            request.header.set('x-lrs-credential', 'no-such-key')
            return next(request)
          },
        ],
      })
      const isTried = (has: readonly TokenScope[]) => (scope ? has.includes(scope) : has.length === 0)
      const tried = methods.filter((method) => isTried(declaredOf(method)!.tokens) && method.name !== 'Exchange')
      expect(tried.length).toBeGreaterThan(0)
      for (const method of tried) {
        const client = createClient(method.parent, transport) as Record<string, (...parameters: unknown[]) => unknown>
        const message = leastMessage(method, id)
        const streams = /^(?:client|bidi)/.test(method.methodKind)
        const answer = client[method.localName]!(
          streams
            ? (async function* () {
                yield message
              })()
            : message,
          { timeoutMs: 60_000 },
        )
        const call = /^(?:server|bidi)/.test(method.methodKind)
          ? (async () => {
              for await (const _ of answer as AsyncIterable<unknown>) break
            })()
          : (answer as Promise<unknown>)
        const failure = (await failureOf(call)) ?? ''
        if (scope) expect(failure, method.name).not.toMatch(/^(FORBIDDEN|UNAUTHENTICATED|INTERNAL)/)
        else expect(failure, method.name).toMatch(/^FORBIDDEN: A personal token cannot do this/)
      }
    }
  } finally {
    sessionManager.abort()
  }
})

test('a token never does more than its owner may now, and ends with the membership', async () => {
  const developer = await member('developer')
  const { token } = await developer.on.tokens.createToken({ name: 'Mine', scopes: ['read', 'games'], days: 0 })
  const core = holding(token)
  await core.games.createGame({ name: 'One' })
  await system.database.sql("update member set role = 'analyst' where account = $1", [developer.account])
  expect(await failureOf(core.games.createGame({ name: 'Two' }))).toMatch(
    /FORBIDDEN: You are an analyst of this studio/,
  )
  expect((await core.games.listGames({})).games.length).toBeGreaterThan(0)
  await system.database.sql('update account set suspended = now() where id = $1', [developer.account])
  expect(await failureOf(core.games.listGames({}))).toMatch(/^UNAUTHENTICATED/)
  await system.database.sql('update account set suspended = null where id = $1', [developer.account])
  await system.database.sql('update studio set suspended = now() where id = $1', [fox.id])
  expect(await failureOf(core.games.listGames({}))).toMatch(/^UNAUTHENTICATED/)
  await system.database.sql('update studio set suspended = null where id = $1', [fox.id])
  await system.database.sql('delete from member where account = $1', [developer.account])
  expect(await failureOf(core.games.listGames({}))).toMatch(/^UNAUTHENTICATED/)
  // a later membership does not bring it back
  await system.database.sql("insert into member (studio, account, role) values ($1, $2, 'owner')", [
    fox.id,
    developer.account,
  ])
  expect(await failureOf(core.games.listGames({}))).toMatch(/^UNAUTHENTICATED/)
})

test('a reset of the password ends the tokens of the account, a change does not, and the mail says which', async () => {
  const { mailServer, guest, as, member } = mailed
  const reset = async (email: string) => {
    await guest.links.sendReset({ email, senderIp })
    const code = codeOf(await mailServer.next(email, /^Set a new password$/))
    await guest.links.usePasswordLink({ code, password: 'another long password' })
  }
  const change = { currentPassword: password, password: 'another long password' }
  const ends = /All of its sessions and personal tokens have ended/
  for (const [email, renew, said, after] of [
    ['link@example.org', (email: string) => reset(email), ends, /^UNAUTHENTICATED/],
    ['admin@example.org', (email: string) => system.admin.accounts.resetPassword({ email }), ends, /^UNAUTHENTICATED/],
    [
      'change@example.org',
      (_: string, me: CoreClient) => me.accounts.changePassword(change),
      /Personal tokens go on/,
      /^works$/,
    ],
  ] as const) {
    const me = as((await member(email)).session)
    const { token } = await me.tokens.createToken({ name: 'CI', scopes: ['read'], days: 0 })
    const use = async () => (await failureOf(holding(token).games.listGames({}))) ?? 'works'
    expect(await use(), email).toBe('works')
    await renew(email, me)
    expect(await use(), email).toMatch(after)
    expect((await mailServer.next(email, /^Your password was changed$/)).text, email).toMatch(said)
  }
})

test('tokens are listed without what they are, and revoked at once, by an owner those of others too', async () => {
  const analyst = await member('analyst')
  const { token, tokenId } = await analyst.on.tokens.createToken({ name: 'Charts', scopes: ['read'], days: 7 })
  await holding(token).games.listGames({})
  const { notifications } = await analyst.on.notices.listNotifications({})
  expect(notifications[0]).toMatchObject({ kind: 'security', title: 'A personal token was made' })
  const [listed, ...others] = (await analyst.on.tokens.listTokens({})).tokens
  expect(others).toEqual([])
  expect(listed).toMatchObject({ tokenId, name: 'Charts', scopes: ['read'] })
  expect(Number(listed!.expires - listed!.created)).toBe(7 * 24 * 60 * 60)
  expect(Number(listed!.lastUsed)).toBeGreaterThan(Date.now() / 1000 - 60)
  expect(JSON.stringify(await system.database.sql('select t::text from personal_token t'))).not.toContain(token)
  // written once an hour at most
  await system.database.sql("update personal_token set used = now() - interval '30 minutes' where uuid = $1", [tokenId])
  await holding(token).games.listGames({})
  const [{ old }] = (await system.database.sql<{ old: boolean }>(
    "select used < now() - interval '20 minutes' as old from personal_token where uuid = $1",
    [tokenId],
  )) as [{ old: boolean }]
  expect(old).toBe(true)

  const developer = await member('developer')
  expect(await failureOf(developer.on.tokens.revokeToken({ tokenId }))).toMatch(/^NOT_FOUND/)
  expect(await failureOf(owl.on().tokens.revokeToken({ tokenId }))).toMatch(/^NOT_FOUND/)
  expect((await fox.on().tokens.listTokens({})).tokens.map((one) => one.tokenId)).toContain(tokenId)
  await fox.on().tokens.revokeToken({ tokenId })
  expect(await failureOf(holding(token).games.listGames({}))).toMatch(/^UNAUTHENTICATED/)
})

test('the portal offers every scope, in the words of core', () => {
  expect(offered.map(({ name, text }) => [name, text])).toEqual(
    Object.entries(tokenScopes).map(([name, { text }]) => [name, text]),
  )
})

test('what a token may be is checked: scopes, days, number, expiry', async () => {
  const { tokens: own } = fox.on()
  const analyst = await member('analyst')
  await expect(analyst.on.tokens.createToken({ name: 'x', scopes: ['games'] })).rejects.toThrow(
    /needs the role developer/,
  )
  await expect(own.createToken({ name: 'x', scopes: ['everything'] })).rejects.toThrow(
    /must be of read, sandbox, upload/,
  )
  await expect(own.createToken({ name: 'x', scopes: [] })).rejects.toThrow(/one at least/)
  await expect(own.createToken({ name: '', scopes: ['read'] })).rejects.toThrow(/name/)
  await expect(own.createToken({ name: 'x', scopes: ['read'], days: 366 })).rejects.toThrow(/at most 365/)
  for (let n = 0; n < 20; n++) await analyst.on.tokens.createToken({ name: `n${n}`, scopes: ['read'] })
  await expect(analyst.on.tokens.createToken({ name: 'x', scopes: ['read'] })).rejects.toThrow(
    /You have 20 personal tokens/,
  )
  const token = await tokenOf(owl)
  await system.database.sql('update personal_token set expires = now() where studio = $1', [owl.id])
  expect(await failureOf(holding(token).games.listGames({}))).toMatch(/^UNAUTHENTICATED/)
  // no token makes tokens
  expect(await failureOf(holding(await tokenOf(fox)).tokens.createToken({ name: 'x', scopes: ['read'] }))).toMatch(
    /^FORBIDDEN/,
  )
})

test('wrong tokens are refused, and counted for their sender; valid ones go on', async () => {
  const token = await tokenOf(fox)
  const last = token.endsWith('x') ? 'y' : 'x'
  for (const wrong of [newPersonalToken(), token.slice(0, -1) + last, 'lrspt_'])
    expect(await failureOf(holding(wrong).games.listGames({})), wrong).toMatch(/^UNAUTHENTICATED/)
  const guess = async () => failureOf(holding(newPersonalToken()).games.listGames({}))
  const answers: (string | undefined)[] = []
  for (let n = 0; n < 51; n++) answers.push(await guess())
  expect(answers.at(-1)).toMatch(/^RATE_LIMITED/)
  await holding(token).games.listGames({})
  await Promise.all(system.cores.map((core) => core.audit.flush()))
  const { entries } = await system.admin.audit.listEntries({ filter: { action: 'service.call' } })
  expect(entries.map(({ outcome }) => outcome).toSorted()).toContain('rate-limited')
  expect(entries.length).toBeLessThan(6)
})
