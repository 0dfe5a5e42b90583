import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { failed, run } from '../support/admin.ts'
import { tokens } from '../support/system.ts'
import { startAdminSystem, type AdminSystem, type OwnOfTest } from '../support/admin-system.ts'

let { system, connected, admin, next, close } = {} as AdminSystem
let { game, folder } = {} as OwnOfTest
beforeAll(async () => {
  ;({ system, connected, admin, next, close } = await startAdminSystem({ gateways: 0 }))
})
afterAll(() => close())
beforeEach(async () => {
  ;({ game, folder } = await next())
})

describe('secrets', () => {
  test('that are wrong are told apart: which token is meant', async () => {
    const { code, error } = await admin('statements', 'query', '--key', game.key, '--token', 'x'.repeat(24))
    expect([code, error]).toEqual([
      1,
      `The core at ${connected().LRS_CORE_URL} rejects the token of --token. It must be the admin token in LRS_SERVICE_TOKENS of core.`,
    ])
  })

  test('are refused where addresses are shown', async () => {
    expect(
      await admin(
        'statements',
        'import',
        '--key',
        'k',
        '--from',
        'https://key:hidden@lrs.example.org/xapi',
        '--auth',
        'a:b',
      ),
    ).toEqual(failed(/^--from must not contain a password\. Put key:secret into LRS_IMPORT_AUTH\.$/, 2))
    for (const { code, error } of [
      await admin('limits', '--core', 'https://me:hidden@core.example.org'),
      await run(['limits'], { env: { LRS_CORE_URL: 'https://me:hidden@core.example.org' } }),
    ]) {
      expect([code, error]).toEqual([
        2,
        expect.stringMatching(/^The address of core must not contain a password\. [^:]*$/),
      ])
    }
  })

  test('of this machine go to no other one', async () => {
    const LRS_DATA_DIR = folder
    writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ serviceTokens: { admin: tokens.admin } }))
    const port = system.cores[0]!.port
    expect((await run(['games', 'list', '--core', `http://localhost:${port}`], { env: { LRS_DATA_DIR } })).code).toBe(0)
    expect(await run(['games', 'list', '--core', `http://0.0.0.0:${port}`], { env: { LRS_DATA_DIR } })).toEqual(
      failed(
        /^There is no token for http:\/\/0\.0\.0\.0:\d+: set LRS_SERVICE_TOKEN, or store one with "profile add"\.$/,
        2,
      ),
    )
  })

  test('that go over a network in the clear are warned of', async () => {
    const port = system.cores[0]!.port
    expect((await admin('doctor', '--core', `http://0.0.0.0:${port}`)).out).toMatch(
      /^warning +way: the token and all responses travel to 0\.0\.0\.0 without encryption\n +→ Use https:/m,
    )
    expect((await admin('doctor', '--core', `http://localhost:${port}`)).out).not.toContain(' way:')
  })
})
