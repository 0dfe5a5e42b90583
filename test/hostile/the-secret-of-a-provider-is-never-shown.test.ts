import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../support/admin.ts'
import { tokens } from '../support/system.ts'
import { startProviders, type Providers } from '../support/providers.ts'

let { system, lying, calm, close } = {} as Providers
beforeAll(async () => {
  ;({ system, lying, calm, close } = await startProviders())
})
afterAll(() => close())
beforeEach(() => calm())

describe('games-lrs providers', () => {
  const admin = (args: string[], input?: string) =>
    run(args, {
      env: { LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`, LRS_SERVICE_TOKEN: tokens.admin },
      ...(input !== undefined && { input }),
    })

  test('adds, shows, changes, tests and removes one; the secret comes from stdin or a file and is never shown', async () => {
    const secret = 'a secret of the command line'
    const given = ['--issuer', lying.issuer, '--client-id', 'lrs', '--label', 'Our school', '--domain', 'example.org']
    const added = await admin(['providers', 'add', 'school', ...given], `${secret}\n`)
    expect(added).toMatchObject({ code: 0, out: expect.stringContaining('/sign-in/with/school/back') })
    const changed = await admin(['providers', 'set', 'school', '--open-accounts', '--scopes', 'openid email', 'groups'])
    expect(changed).toMatchObject({ code: 0, out: expect.stringMatching(/scopes +openid email groups\n/) })
    expect(changed.out).toMatch(/client secret +kept, sealed\n/)
    expect(changed.out).toMatch(/unknown people +get an account, of example.org\n/)
    const listed = await admin(['providers', 'list', '--json'])
    expect(JSON.parse(listed.out).providers).toContainEqual(expect.objectContaining({ name: 'school', opens: true }))
    const tested = await admin(['providers', 'test', 'school'])
    expect(tested).toMatchObject({ code: 1, out: expect.stringMatching(/^ok +It is reached/) })
    for (const { out, error } of [added, changed, listed, tested]) expect(out + error).not.toContain(secret)
    const sealed = await system.database.sql("select client_secret from sign_in_provider where name = 'school'")
    expect(Buffer.from(sealed[0]!['client_secret'] as Uint8Array).includes(secret)).toBe(false)
    expect(await admin(['providers', 'remove', 'school', '--yes'])).toMatchObject({ code: 0 })
    expect(await admin(['providers', 'show', 'school'])).toMatchObject({
      code: 1,
      error: expect.stringContaining('"school"'),
    })
  })

  test('says what is wrong with a provider', async () => {
    const add = (name: string, ...more: string[]) =>
      admin([
        'providers',
        'add',
        name,
        '--issuer',
        'https://x.example',
        '--client-id',
        'x',
        '--label',
        'X',
        '--no-secret',
        ...more,
      ])
    expect(await add('No Name')).toMatchObject({ code: 1, error: expect.stringContaining('name') })
    expect(await add('ours-2', '--admin-group', 'ops')).toMatchObject({
      code: 1,
      error: expect.stringContaining('claim'),
    })
    expect(await add('honest')).toMatchObject({
      code: 1,
      error: expect.stringContaining('there is a provider of this name'),
    })
    expect(await add('x', '--issuer', 'ftp://x')).toMatchObject({ code: 1, error: expect.stringContaining('address') })
  })
})
