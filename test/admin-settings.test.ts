import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endAll, launch, temporaryFolder } from '../start/fixtures/launch.ts'
import { command, done, failed, run } from './support/admin.ts'
import { inTurns } from './support/in-turns.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bestOfThree } from './support/cost.ts'

let system: System
let coreUrl: string
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
  coreUrl = `http://127.0.0.1:${system.cores[0]!.port}`
})
afterAll(async () => {
  endAll()
  await system.close()
})

describe('profiles', () => {
  test('are kept for their owner only, used, shown without tokens, and forgotten', async () => {
    const HOME = temporaryFolder()
    const env = { HOME }
    const file = join(HOME, '.config', 'games-lrs', 'profiles.json')
    expect(await run(['profile', 'list'], { env })).toEqual(
      done(expect.stringMatching(/^ +NAME +CORE\n\* +local +what npm start runs here$/)),
    )
    expect(await run(['profile', 'add', 'live', '--core', `${coreUrl}/`], { env, input: `${tokens.admin}\n` })).toEqual(
      done(`Stored live in ${file}. It is in use.`),
    )
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await run(['games', 'list'], { env })).toEqual(done('There are no games yet.'))
    expect(
      await run(['profile', 'add', 'away', '--core', 'http://127.0.0.1:1'], {
        env: { ...env, LRS_SERVICE_TOKEN: 'x'.repeat(16) },
      }),
    ).toEqual(done(`Stored away in ${file}.`))
    chmodSync(file, 0o644)
    expect(await run(['profile', 'use', 'away'], { env })).toEqual(done('In use: away, http://127.0.0.1:1.'))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await run(['games', 'list'], { env })).code).toBe(3)
    expect((await run(['games', 'list', '--profile', 'live'], { env })).code).toBe(0)
    const { out } = await run(['profile', 'list', '--json'], { env })
    expect(JSON.parse(out)).toEqual({
      current: 'away',
      profiles: [
        { name: 'live', core: coreUrl },
        { name: 'away', core: 'http://127.0.0.1:1' },
      ],
    })
    expect(await run(['profile', 'remove', 'away'], { env })).toEqual(done('Removed: away.'))
    expect(await run(['profile', 'use', 'local'], { env })).toEqual(done('In use: the core that npm start runs here.'))
    expect(readFileSync(file, 'utf8')).not.toContain('away')
  })

  test('stand behind options and the environment, and their token goes to their own core only', async () => {
    const LRS_PROFILE = join(temporaryFolder(), 'mine.json')
    const env = { LRS_PROFILE, LRS_DATA_DIR: temporaryFolder() }
    await run(['profile', 'add', 'live', '--core', coreUrl, '--token', tokens.admin], { env })
    expect((await run(['games', 'list', '--core', coreUrl], { env })).code).toBe(2)
    expect(
      (
        await run(['games', 'list'], {
          env: { ...env, LRS_CORE_URL: 'http://127.0.0.1:1', LRS_SERVICE_TOKEN: tokens.admin },
        })
      ).code,
    ).toBe(3)
    await run(['profile', 'add', 'old', '--core', coreUrl, '--token', 'y'.repeat(16)], { env })
    const refused = (from: string) =>
      failed(new RegExp(`^The core at ${coreUrl} rejects the token of ${from}\\. It must be`))
    expect(await run(['games', 'list', '--profile', 'old'], { env })).toEqual(refused('the profile old'))
    await run(['profile', 'use', 'old'], { env })
    expect(await run(['games', 'list'], { env })).toEqual(refused('the profile in use'))
    await run(['profile', 'use', 'live'], { env })
    expect(
      (
        await run(['games', 'list', '--profile', 'live'], {
          env: { ...env, LRS_CORE_URL: 'http://127.0.0.1:1', LRS_SERVICE_TOKEN: 'x'.repeat(16) },
        })
      ).code,
    ).toBe(0)
  })

  test('what is wrong is one line and 2', async () => {
    const LRS_PROFILE = join(temporaryFolder(), 'profiles.json')
    const env = { LRS_PROFILE }
    expect(await run(['profile', 'use', 'nope'], { env })).toEqual(
      failed(/^There is no profile "nope": "profile list" shows them\.$/, 2),
    )
    expect(await run(['profile', 'remove', '__proto__'], { env })).toEqual(
      failed(/^There is no profile "__proto__"/, 2),
    )
    expect(await run(['games', 'list', '--profile', 'nope'], { env })).toEqual(failed(/^There is no profile "nope"/, 2))
    expect(await run(['profile', 'add', 'local', '--core', coreUrl], { env })).toEqual(
      failed(/^"local" is not a valid name for a profile/, 2),
    )
    expect(await run(['profile', 'add', 'a'], { env, input: '' })).toEqual(failed(/^--core is missing/, 2))
    expect(await run(['profile', 'add', 'a', '--core', coreUrl], { env, input: '' })).toEqual(
      failed(/^The token is missing/, 2),
    )
    expect(existsSync(LRS_PROFILE)).toBe(false)
    writeFileSync(LRS_PROFILE, '{"profiles": ')
    expect(await run(['profile', 'list'], { env })).toEqual(
      failed(
        /^\/.*profiles\.json does not contain valid profiles\. Correct it, or remove it and add the profiles again\.$/,
        2,
      ),
    )
  })
})

describe('completion', () => {
  const complete = (script: string, line: string): string[] => {
    const words = line.split(' ')
    const program =
      `source '${script}'; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); ` +
      `COMP_CWORD=${words.length - 1}; _games_lrs; printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['--norc', '-c', program], { encoding: 'utf8' }).trim().split('\n')
  }

  test('of bash parses, and knows commands, options and choices', async () => {
    const script = join(temporaryFolder(), 'completion.sh')
    writeFileSync(script, (await run(['completion', 'bash'])).out)
    execFileSync('bash', ['-n', script])
    expect(complete(script, 'games-lrs ga')).toEqual(['games'])
    expect(complete(script, 'games-lrs games ')).toEqual(
      expect.arrayContaining(['list', 'show', 'approve', 'reject', 'withdraw', '--json', '--help']),
    )
    expect(complete(script, 'games-lrs --json games approve chess --b')).toEqual(['--build'])
    expect(complete(script, 'games-lrs statements export --format ')).toEqual(['ndjson', 'csv', 'json', 'parquet'])
    expect(complete(script, 'games-lrs credentials scopes 5f1e --scope statements/')).toEqual([
      'statements/write',
      'statements/read/mine',
      'statements/read',
    ])
    expect(complete(script, 'games-lrs statements export --out ')).toEqual([''])
    expect(complete(script, 'games-lrs --profile ')).toEqual([''])
    expect(complete(script, 'games-lrs completion ')).toEqual(expect.arrayContaining(['bash', 'zsh']))
  })

  test('of zsh is made of the same', async () => {
    const { out } = await run(['completion', 'zsh'])
    expect(out).toMatch(/^#compdef games-lrs\n/)
    expect(out).toMatch(/^ {4}'statements export --format'\) choices=\('ndjson' 'csv' 'json' 'parquet'\) ;;$/m)
    expect(out).toMatch(
      /'games approve'\) choices=\('--build:id of the build that you reviewed, as "reviews list" shows it; /,
    )
    try {
      execFileSync('zsh', ['-n'], { input: out })
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOENT')
    }
    expect(await run(['completion', 'fish'])).toEqual({
      code: 2,
      out: '',
      error: expect.stringMatching(/^error: command-argument value 'fish' is invalid/),
    })
  })
})

test('every command has help with an example', async () => {
  const { out } = await run(['completion', 'bash'])
  const paths = [...out.matchAll(/^ {4}'([a-z -]+)'\) words='(\S+)/gm)].map(([, path, first]) => ({
    path: path!,
    isLeaf: first!.startsWith('--') || path === 'completion',
  }))
  const leaves = paths.filter(({ isLeaf }) => isLeaf)
  expect(leaves.length).toBeGreaterThan(15)
  await inTurns(leaves, 3, async ({ path }) => {
    const { code, out } = await run([...path.split(' '), '--help'])
    expect([path, code, out]).toEqual([
      path,
      0,
      expect.stringMatching(new RegExp(`\\nExamples:\\n {2}games-lrs ${path}( |$)`, 'm')),
    ])
  })
})

test('the launcher hands over arguments, folder and exit code on the Node of the project', async () => {
  const launcher = resolve(import.meta.dirname, '..', 'games-lrs')
  const { exited, output } = launch(launcher, ['games', 'lst'], { cwd: temporaryFolder() })
  expect(await exited).toBe(2)
  expect(output()).toMatch(/^error: unknown command 'lst'/)
})

let patience = 1_000
test('Ctrl-C ends with 130 and one line', bestOfThree, async () => {
  const asking = command(['profile', 'add', 'a', '--core', coreUrl], {
    env: { LRS_PROFILE: join(temporaryFolder(), 'p.json') },
    holdInput: true,
  })
  // it does not say that it waits for a token; where it starts slowly, another round gives it more time
  await new Promise((resolve) => setTimeout(resolve, patience))
  patience *= 4
  asking.process.kill('SIGINT')
  expect(await asking.ended).toEqual(failed(/^Interrupted\.$/, 130))
})
