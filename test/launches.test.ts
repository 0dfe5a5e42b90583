import { createHash } from 'node:crypto'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCore } from '../core/core.ts'
import { createGateway } from '../gateway/app.ts'
import { coreConnection } from './support/core-client.ts'
import { reasonOf } from './support/failures.ts'
import { payload, startLaunches, type Launches } from './support/launches.ts'
import { statement } from './support/statements.ts'
import { tokens } from './support/system.ts'
import { basic, bearer, xapiClient } from './support/xapi.ts'

let { system, fox, owl, game, publish, sandbox, xapi, play, link } = {} as Launches
beforeAll(async () => {
  ;({ system, fox, owl, game, publish, sandbox, xapi, play, link } = await startLaunches())
})
afterAll(() => system.close())

describe('a session of a published game', () => {
  test('is for a new learner, for the one who comes back, or for who is invited', async () => {
    const first = await play({ learnerName: 'Ann' })
    expect(first.launch).toMatchObject({ buildId: game.buildId, learnerName: 'Ann', sandbox: false })
    expect(payload(first.launch!.token).sandbox).toBeUndefined()
    const again = await play({ learnerToken: first.learnerToken })
    expect(again).toMatchObject({ learnerToken: first.learnerToken, launch: { actor: first.launch!.actor } })
    expect(again.launch!.registration).not.toBe(first.launch!.registration)
    expect((await play({ learnerToken: first.learnerToken, learnerName: 'Anna' })).launch!.learnerName).toBe('Anna')
    const lost = await play({ learnerToken: 'gone', learnerName: 'Ann' })
    expect(lost.launch!.actor).not.toBe(first.launch!.actor)

    const { code } = await fox.on().launches.createInvitation({ gameId: game.id, learnerName: 'Ivy' })
    const anybody = system.connections[0]!.as(bearer(tokens.portal)).launches
    expect(await anybody.getInvitation({ slug: game.slug, code })).toMatchObject({ learnerName: 'Ivy' })
    const [one, two] = [await play({ invitation: code }), await play({ invitation: code, learnerName: 'Mallory' })]
    expect(one).toMatchObject({ learnerToken: '', launch: { learnerName: 'Ivy' } })
    expect(two.launch!.actor).toBe(one.launch!.actor)
    const { invitations } = await fox.on(1).launches.listInvitations({ gameId: game.id })
    expect(invitations).toMatchObject([{ learnerName: 'Ivy', used: 2 }])
    expect(Number(invitations[0]!.lastUsed)).toBeGreaterThan(Date.now() / 1000 - 60)
    const named = { gameId: game.id, invitationId: invitations[0]!.invitationId }
    expect(await reasonOf(owl.on().launches.revokeInvitation(named))).toBe('NOT_FOUND')
    await fox.on().launches.revokeInvitation(named)
    const calls = [
      play({ invitation: code }),
      anybody.getInvitation({ slug: game.slug, code }),
      fox.on().launches.revokeInvitation(named),
    ]
    expect(await Promise.all(calls.map(reasonOf))).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'])
    // its learner does not continue
    expect((await xapi(two.launch!).post(statement())).status).toBe(401)
    expect(await reasonOf(anybody.getLaunch({ sessionSecret: two.launch!.sessionSecret }))).toBe('NOT_FOUND')
  })

  test('needs a published game, a name and an address', async () => {
    const draft = await owl.on().games.createGame({ name: 'Draft' })
    const { slug } = (await owl.on().games.getGame({ gameId: draft.gameId })).game!.summary!
    expect(await reasonOf(play({ slug, learnerName: 'Ann' }))).toBe('NOT_FOUND')
    expect(await reasonOf(play({ slug: 'none', learnerName: 'Ann' }))).toBe('NOT_FOUND')
    expect(await reasonOf(play({}))).toBe('INVALID')
    expect(await reasonOf(play({ learnerName: 'a\u0007b' }))).toBe('INVALID')
    expect(await reasonOf(play({ learnerName: 'Ann' }, 'localhost'))).toBe('INVALID')
    expect(await reasonOf(owl.on().launches.createInvitation({ gameId: draft.gameId, learnerName: 'Ann' }))).toBe(
      'CONFLICT',
    )
    const { id, slug: withdrawn } = await publish(owl)
    const { launch } = await play({ slug: withdrawn, learnerName: 'Ann' })
    await owl.on().games.withdraw({ gameId: id })
    expect(await reasonOf(play({ slug: withdrawn, learnerName: 'Ann' }))).toBe('NOT_FOUND')
    expect((await xapi(launch!).post(statement())).status).toBe(200)
  })

  test('can be started 120 times a minute from one address, an IPv6 network counting as one', async () => {
    const senders = Array.from({ length: 121 }, (_, n) => `2001:db8:0:1::${(n + 1).toString(16)}`)
    const tries = await Promise.all(senders.map((senderIp) => reasonOf(play({}, senderIp))))
    expect(tries.filter((reason) => reason === 'RATE_LIMITED')).toHaveLength(1)
    expect(await reasonOf(play({ learnerName: 'Ann' }, '2001:DB8:0:1:ffff::1'))).toBe('RATE_LIMITED')
    expect(await reasonOf(play({ learnerName: 'Ann' }, '2001:db8:0:2::1'))).toBe('ok')
  })
})

const learnerOf = ({ actor }: { actor: string }): string => JSON.parse(actor).account.name

describe('an installed game', () => {
  let senders = 0
  const on = (core = 0) => system.connections[core]!.as(bearer(tokens.portal)).devices
  const from = () => ({ slug: game.slug, senderIp: `10.3.0.${++senders}` })
  const start = (of: object, core = 1) => on(core).startOnDevice({ ...from(), ...of })
  const errorOf = async (of: object) => (await start(of)).error
  const sql = (text: string, code: string) => system.database.sql(text, [createHash('sha256').update(code).digest()])

  test('waits for the learner as RFC 8628 has it', async () => {
    await link()
    const { deviceCode, userCode } = await on().askCode(from())
    expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect([await errorOf({ deviceCode }), await errorOf({ deviceCode })]).toEqual([
      'authorization_pending',
      'slow_down',
    ])
    // five seconds later would do, had it not been too fast
    const later = `update device set polled = now() - $2::float8 * interval '1 second' where secret_hash = $1`
    const after = (seconds: number) =>
      system.database.sql(later, [createHash('sha256').update(deviceCode).digest(), seconds])
    await after(6)
    expect(await errorOf({ deviceCode })).toBe('slow_down')
    await after(16)
    expect(await errorOf({ deviceCode })).toBe('authorization_pending')
    expect(await errorOf({ deviceCode, slug: 'none' })).toBe('invalid_grant')
    await on().denyDevice({ userCode, ...from() })
    expect(await errorOf({ deviceCode })).toBe('access_denied')
    expect(await reasonOf(on().allowDevice({ userCode, learner: { ...from(), learnerName: 'Eve' } }))).toBe('INVALID')
    const old = await on().askCode(from())
    await sql(`update device set expires = now() - interval '1 second' where secret_hash = $1`, old.deviceCode)
    expect(await errorOf({ deviceCode: old.deviceCode })).toBe('expired_token')
    expect(await reasonOf(on().getCode({ userCode: old.userCode, ...from() }))).toBe('INVALID')
    expect(await errorOf({ deviceCode: 'none' })).toBe('invalid_grant')
  })

  test('starts sessions of its learner with its secret, until it is ended or may not', async () => {
    const { deviceSecret, launch } = await link({ learnerName: 'Dan' })
    const again = await start({ deviceSecret })
    expect([again.launch!.actor, again.deviceSecret]).toEqual([launch!.actor, deviceSecret])
    expect(again.launch!.registration).not.toBe(launch!.registration)
    const { registration } = launch!
    expect((await start({ deviceSecret, registration })).launch!.registration).toBe(registration)
    expect(await reasonOf(start({ deviceSecret, registration: 'x' }))).toBe('INVALID')
    const other = await publish(owl)
    await owl.on().games.setPlayer({ gameId: other.id, player: { devices: true } })
    expect(await errorOf({ deviceSecret, slug: other.slug })).toBe('invalid_grant')

    const switched = (devices: boolean) => fox.on().games.setPlayer({ gameId: game.id, player: { devices } })
    await switched(false)
    expect(await errorOf({ deviceSecret })).toBe('invalid_client')
    expect(await reasonOf(on().askCode(from()))).toBe('NOT_FOUND')
    await switched(true)
    await system.admin.operator.suspendStudio({ studio: fox.slug, suspended: true, note: '' })
    expect(await errorOf({ deviceSecret })).toBe('invalid_client')
    await system.admin.operator.suspendStudio({ studio: fox.slug, suspended: false })
    await sql(
      `update game set accepted_consent = 'All is stored.' where id = (select game from device where secret_hash = $1)`,
      deviceSecret,
    )
    expect(await errorOf({ deviceSecret })).toBe('invalid_grant')
    await sql(
      `update game set accepted_consent = null where id = (select game from device where secret_hash = $1)`,
      deviceSecret,
    )

    const { devices } = await system.admin.devices.listDevices({ gameId: game.id, learnerId: learnerOf(launch!) })
    expect(devices).toMatchObject([{ name: 'Tablet', learnerName: 'Dan' }])
    const { deviceId } = devices[0]!
    expect(await reasonOf(owl.on().devices.endDevice({ gameId: other.id, deviceId }))).toBe('NOT_FOUND')
    expect(await errorOf({ deviceSecret })).toBe('')
    await system.admin.admin.eraseLearner({ agent: launch!.actor })
    expect(await errorOf({ deviceSecret })).toBe('invalid_grant')
    expect((await xapi(launch!).post(statement())).status).toBe(401)
  })

  test('of an invited learner goes on as long as the invitation', async () => {
    const { code } = await fox.on().launches.createInvitation({ gameId: game.id, learnerName: 'Ivy' })
    const { deviceSecret } = await link({ invitation: code })
    const { launch } = await start({ deviceSecret })
    expect(launch!.learnerName).toBe('Ivy')
    const { invitations } = await fox.on().launches.listInvitations({ gameId: game.id })
    const { database, cores } = system
    // a session is starting while the invitation ends
    const held = database.sql('select pg_sleep(1.5) from (select from learner where uuid = $1 for update offset 0) l', [
      learnerOf(launch!),
    ])
    const waiting = async () =>
      (
        await database.sql(
          `select from pg_stat_activity where datname = current_database() and wait_event_type in ('Lock', 'Timeout')`,
        )
      ).length
    await expect.poll(waiting).toBe(1)
    // refused if the end comes before it is answered
    const starting = start({ deviceSecret }).catch(() => undefined)
    await expect.poll(waiting).toBe(2)
    await fox.on().launches.revokeInvitation({ gameId: game.id, invitationId: invitations[0]!.invitationId })
    await held
    const begun = (await starting)?.launch
    expect(begun ? (await xapi(begun).post(statement())).status : 401).toBe(401)
    expect(await errorOf({ deviceSecret })).toBe('invalid_grant')
    await sql(
      `update invitation set revoked = now() - interval '2 days'
        where learner = (select learner from device where secret_hash = $1)`,
      deviceSecret,
    )
    await cores[0]!.store.invitations.sweep(100)
    expect(await errorOf({ deviceSecret })).toBe('invalid_grant')
  })

  test('is one of ten of its learner, and replaces the copy that it was', async () => {
    const { learnerToken } = await play({ learnerName: 'Dot' })
    const secrets: string[] = []
    for (let n = 0; n < 11; n++) secrets.push((await link({ learnerToken })).deviceSecret)
    const [first, second, third] = secrets
    expect([await errorOf({ deviceSecret: first }), await errorOf({ deviceSecret: second })]).toEqual([
      'invalid_grant',
      '',
    ])
    const { deviceCode, userCode } = await on().askCode(from())
    await on().allowDevice({ userCode, learner: { ...from(), learnerName: 'Another' } })
    expect(await errorOf({ deviceCode, deviceSecret: third })).toBe('')
    expect(await errorOf({ deviceSecret: third })).toBe('invalid_grant')
  })

  test('is linked by nobody who guesses: 30 wrong codes of one sender', async () => {
    const { userCode } = await on().askCode(from())
    const { slug, senderIp } = from()
    const guess = (code: string) => reasonOf(on().getCode({ userCode: code, senderIp }))
    const wrong = await Promise.all(Array.from({ length: 30 }, () => guess('BBBB-BBBB')))
    expect(wrong).toEqual(Array.from({ length: 30 }, () => 'INVALID'))
    expect(await guess(userCode)).toBe('RATE_LIMITED')
    expect(await reasonOf(on().allowDevice({ userCode, learner: { slug, senderIp } }))).toBe('RATE_LIMITED')
    expect(await reasonOf(on().getCode({ userCode, ...from() }))).toBe('ok')
  })

  test('is linked while others guess: 3,000 wrong codes of all leave each sender 3, and right ones do not count', async () => {
    const { userCode } = await on().askCode(from())
    await on().getCode({ userCode, ...from() })
    await system.database.sql(`update portal_window set count = 3000 where bucket = 'wrongDeviceCodes'`, [])
    const { senderIp } = from()
    const tries = []
    for (const code of [userCode, userCode, 'BBBB-BBBB', 'BBBB-BBBB', userCode, 'BBBB-BBBB', userCode])
      tries.push(await reasonOf(on().getCode({ userCode: code, senderIp })))
    expect(tries).toEqual(['ok', 'ok', 'INVALID', 'INVALID', 'ok', 'INVALID', 'RATE_LIMITED'])
    expect(await reasonOf(on().getCode({ userCode, ...from() }))).toBe('ok')
    await system.database.sql(`delete from portal_window where bucket = 'wrongDeviceCodes'`, [])
  })

  test('asks 1,200 times a minute from one address', async () => {
    const { slug, senderIp } = from()
    const ask = () => reasonOf(start({ deviceCode: 'none', slug, senderIp }))
    expect(await ask()).toBe('ok')
    await system.database.sql(`update portal_window set count = 1200 where bucket = 'devicePoll'`, [])
    expect(await ask()).toBe('RATE_LIMITED')
    expect(await errorOf({ deviceCode: 'none' })).toBe('invalid_grant')
  })

  test('asks for 120 codes in 15 minutes, and a game has 2,000 at a time', async () => {
    const { senderIp } = from()
    const asked = await Promise.all(
      Array.from({ length: 121 }, () => reasonOf(on().askCode({ slug: game.slug, senderIp }))),
    )
    expect(asked.filter((one) => one === 'RATE_LIMITED')).toHaveLength(1)
    await system.database.sql(
      `insert into device (game, secret_hash, expires) select id, sha256(n::text::bytea), now() + interval '1 minute'
        from game, generate_series(1, 2000) n where slug = $1`,
      [game.slug],
    )
    expect(await reasonOf(on().askCode(from()))).toBe('RATE_LIMITED')
    // codes of strangers leave room for links of learners
    await fox.on().games.setPlayer({ gameId: game.id, player: { devices: true, launchLink: 'myquiz://play' } })
    const { sessionSecret } = (await play({ learnerName: 'Lin' })).launch!
    expect(await reasonOf(on().makeLink({ sessionSecret, senderIp }))).toBe('RATE_LIMITED')
    expect((await on().makeLink({ sessionSecret, ...from() })).link).toMatch(/^myquiz:/)
    await system.database.sql('delete from device where learner is null', [])
  })
})

describe('the launch context of a session', () => {
  test('is made again for a client with its secret: same learner and registration, never longer', async () => {
    const { launch } = await play({ learnerName: 'Ann' })
    const asPlayer = system.connections[1]!.as(bearer(tokens.player)).launches
    const again = (await asPlayer.getLaunch({ sessionSecret: launch!.sessionSecret })).launch!
    expect({ ...again, token: '' }).toEqual({ ...launch, token: '' })
    await system.database.sql(`update launch set expires = now() + interval '10 seconds' where uuid = $1`, [
      launch!.sessionId,
    ])
    const late = (await asPlayer.getLaunch({ sessionSecret: launch!.sessionSecret })).launch!
    expect(payload(late.token).exp).toBeLessThanOrEqual(Date.now() / 1000 + 10)
    expect(late.expires).toBe(BigInt(payload(late.token).exp))
    await system.database.sql(`update launch set expires = now() - interval '1 second' where uuid = $1`, [
      launch!.sessionId,
    ])
    for (const sessionSecret of [launch!.sessionSecret, 'none', ''])
      expect(await reasonOf(asPlayer.getLaunch({ sessionSecret }))).toBe('NOT_FOUND')
  })

  test('is all that a player may ask for', async () => {
    const asPlayer = system.connections[0]!.as(bearer(tokens.player))
    expect(
      await reasonOf(asPlayer.launches.startPlay({ slug: game.slug, learnerName: 'Ann', senderIp: '10.9.0.1' })),
    ).toBe('FORBIDDEN')
    expect(await reasonOf(asPlayer.launches.openSandbox({ gameId: game.id }))).toBe('FORBIDDEN')
    expect(await reasonOf(asPlayer.games.listPublishedGames({}))).toBe('FORBIDDEN')
    expect(await reasonOf(asPlayer.quotas.getUsage({}))).toBe('FORBIDDEN')
    const stranger = system.connections[0]!.as(basic('a', 'b'))
    expect(await reasonOf(stranger.launches.getLaunch({ sessionSecret: 'x' }))).toBe('UNAUTHENTICATED')
  })

  test('ends with the credential, and an ended session is forgotten after a day', async () => {
    const { slug } = await publish(owl)
    const { launch } = await play({ slug, learnerName: 'Ann' })
    await system.admin.identity.revokeCredential({ key: payload(launch!.token).key })
    const anybody = system.connections[0]!.as(bearer(tokens.portal)).launches
    expect(await reasonOf(anybody.getLaunch({ sessionSecret: launch!.sessionSecret }))).toBe('NOT_FOUND')
    await system.database.sql(`update launch set expires = now() - interval '2 days' where uuid = $1`, [
      launch!.sessionId,
    ])
    expect(await system.cores[0]!.store.launches.sweep(24 * 60 * 60, 10)).toBe(1)
  })
})

test('no token, secret or code is in the log of gateway or core, however the request fails', async () => {
  const lines: string[] = []
  const log = pino(
    { level: 'trace' },
    new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) }),
  )
  const core = await createCore({ ...system.cores[0]!.config, port: 0, relayPort: 0, logLevel: 'debug' }, { log })
  const gateway = createGateway(
    {
      host: '127.0.0.1',
      port: 0,
      cores: [`http://127.0.0.1:${core.relayPort}`],
      serviceToken: tokens.gateway,
      defaultVersion: '1.0.3',
      trustProxy: 0,
      dialect: 'games',
      logLevel: 'debug',
      logFormat: 'json',
      relayTimeoutMs: 20_000,
      attachmentsMaxBytes: 1024 * 1024,
    },
    { log },
  )
  const launch = await sandbox()
  const client = xapiClient(`http://127.0.0.1:${await gateway.listen()}`, bearer(launch.token))
  const { code } = await fox.on().launches.createInvitation({ gameId: game.id, learnerName: 'Ida' })
  await client.post(statement())
  await client.request('GET', 'statements', { query: { auth: launch.token } })
  await client.request('GET', `statement/${launch.token}`)
  await client.as(bearer(`${launch.token}x`)).get()
  const connection = coreConnection(core.port)
  const { launches } = connection.as(bearer(tokens.portal))
  await launches.getLaunch({ sessionSecret: launch.sessionSecret })
  await launches.startPlay({ slug: game.slug, invitation: code, senderIp: '10.2.0.1' })
  // a fault of our own, which the log has whole
  core.store.launches.bySecret = () => Promise.reject(new Error('lost the thread'))
  expect(await reasonOf(launches.getLaunch({ sessionSecret: launch.sessionSecret }))).toBe('INTERNAL')
  connection.close()
  await gateway.close()
  await core.close()
  const said = lines.join('')
  expect(said).toContain('lost the thread')
  expect(said).toContain('answered')
  for (const secret of [launch.token, launch.sessionSecret, code, tokens.portal]) expect(said).not.toContain(secret)
})

test('secrets and codes are in the database as hashes only', async () => {
  const launch = await sandbox()
  const { code } = await fox.on().launches.createInvitation({ gameId: game.id, learnerName: 'Ida' })
  const { learnerToken } = await play({ learnerName: 'Ida' })
  for (const table of ['launch', 'invitation', 'learner', 'sandbox_event']) {
    const rows = JSON.stringify(await system.database.sql(`select t::text as row from ${table} t`))
    for (const secret of [launch.sessionSecret, launch.token, code, learnerToken]) expect(rows).not.toContain(secret)
  }
})
