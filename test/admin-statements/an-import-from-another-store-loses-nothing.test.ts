import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually, freePorts } from '../../start/fixtures/launch.ts'
import { command, done, failed, run } from '../support/admin.ts'
import { attachment, contentPart, jsonPart, multipart, multipartType } from '../support/attachments.ts'
import { statement, statements, voiding } from '../support/statements.ts'
import { startAdminSystem, type AdminSystem, type OwnOfTest } from '../support/admin-system.ts'
import { bodiesOf } from './statements.ts'

let { system, next, close } = {} as AdminSystem
let { game, folder } = {} as OwnOfTest
let other: AdminSystem
beforeAll(async () => {
  ;[{ system, next, close }, other] = await Promise.all([startAdminSystem(), startAdminSystem()])
})
afterAll(() => Promise.all([close(), other.close()]))
beforeEach(async () => {
  ;({ game, folder } = await next())
})

describe('import from another store', () => {
  const into = (key: string, ...args: string[]) => [
    'statements',
    'import',
    '--key',
    key,
    '--from',
    `${system.urls[0]}/xapi`,
    ...args,
  ]

  test('takes all, with voided statements and contents; run again it takes what is new', async () => {
    const there = await other.system.game()
    const gone = statement()
    const content = Buffer.from('\r\n--boundary\r\n'.repeat(20_000))
    await game.xapi().post([gone, statement()])
    await game.xapi().post(voiding(gone.id))
    await game.xapi().request('POST', 'statements', {
      body: multipart([
        jsonPart(statement({ attachments: [attachment(content), attachment('')] })),
        contentPart(content),
        contentPart(''),
      ]),
      headers: { 'content-type': multipartType },
    })
    const auth = ['--auth', `${game.key}:${game.secret}`]
    const options = { env: other.connected(), cwd: folder }
    expect(await run(into(there.key, ...auth), options)).toEqual(
      done('4 statements were stored, 0 were there already.'),
    )
    expect(await bodiesOf(there)).toEqual(await bodiesOf(game))
    expect((await there.xapi().get({ voidedStatementId: gone.id })).status).toBe(200)
    expect((await there.xapi().get({ attachments: true })).bytes.includes(content)).toBe(true)
    await game.xapi().post(statement())
    const again = await run(into(there.key, '--json'), {
      ...options,
      env: { ...options.env, LRS_IMPORT_AUTH: `${game.key}:${game.secret}` },
    })
    expect(JSON.parse(again.out)).toMatchObject({
      stored: 1,
      rejected: 0,
      state: expect.stringMatching(/^games-lrs-import-.*\.json$/),
    })
    expect(again.error).toMatch(/^Continuing after 4 statements, as games-lrs-import-/)
    expect(readFileSync(join(folder, JSON.parse(again.out).state), 'utf8')).not.toContain(game.secret)
  })

  test('killed in the middle and run again: nothing lost, nothing twice', async () => {
    const there = await other.system.game()
    const all = Array.from({ length: 16 }, () => statements(250, { result: { response: 'x'.repeat(500) } }))
    for (const batch of all) await game.xapi().post(batch)
    const options = { env: { ...other.connected(), LRS_IMPORT_AUTH: `${game.key}:${game.secret}` }, cwd: folder }
    const state = join(folder, 'import.json')
    for (const least of [500, 1500]) {
      const first = command(into(there.key, '--state', state), options)
      await eventually(
        () => existsSync(state) && JSON.parse(readFileSync(state, 'utf8')).count >= least,
        () => `${least} statements: ${first.said.error}`,
      )
      first.process.kill('SIGKILL')
      expect((await first.ended).code).toBe('SIGKILL')
    }
    const rest = await command(into(there.key, '--state', state), options).ended
    expect([rest.code, rest.out]).toEqual([
      0,
      expect.stringMatching(/^[\d,]+ statements were stored, (0|500) were there already\.$/),
    ])
    expect(await bodiesOf(there)).toEqual(await bodiesOf(game))
    expect(await bodiesOf(there)).toHaveLength(4000)
  })

  test('what is wrong with the other store is one line', async () => {
    const there = await other.system.game()
    const options = { env: other.connected(), cwd: folder }
    const [port] = await freePorts(1)
    expect(await run(into(there.key, '--auth', 'a:b'), options)).toEqual(
      failed(/^127\.0\.0\.1:\d+ refuses the credential \(401\)\. Check --auth or LRS_IMPORT_AUTH\./),
    )
    expect(await run(into(there.key, '--auth', 'a:b', '--from', `${system.urls[0]}/nowhere`), options)).toEqual(
      failed(/^127\.0\.0\.1:\d+ has no xAPI endpoint at this path \(404\)\. The path of --from/),
    )
    expect(await run(into(there.key), options)).toEqual(failed(/^--auth \(or LRS_IMPORT_AUTH\) must be key:secret/, 2))
    expect(
      await run(
        ['statements', 'import', '--key', there.key, '--auth', 'a:b', '--from', `http://127.0.0.1:${port}/xapi`],
        options,
      ),
    ).toEqual(failed(/^The other store at 127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\)\.$/, 3))
    expect(
      await run(['statements', 'import', '--key', there.key, '--auth', 'a:b', '--from', 'lrs.example.org'], options),
    ).toEqual(failed(/^--from must be the xAPI endpoint/, 2))
  })
})
