import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../start/fixtures/launch.ts'
import { readCompose } from './support/compose.ts'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import type { Studio } from './support/studios.ts'

const ci = resolve(import.meta.dirname, '..', 'ops', 'ci')
const action = readCompose(join(ci, 'github', 'action.yml'), {}) as unknown as {
  inputs: Record<string, { description: string; required?: string; default?: string }>
  outputs: Record<string, { value: string }>
  runs: { using: string; steps: { id: string; shell: string; env: Record<string, string>; run: string }[] }
}
const [step] = action.runs.steps as [(typeof action.runs.steps)[number]]
/** Input by the variable that gets it. */
const inputOf = (value: string) => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1] ?? ''

let system: PortalSystem
let studio: Studio
let folder: string
let inputs: Record<string, string>
beforeAll(async () => {
  system = await startPortalSystem()
  studio = await system.studio('Blue Fox')
  const { gameId } = await studio.on().games.createGame({ name: 'Chess' })
  folder = temporaryFolder()
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist', 'index.html'), '<title>Chess</title>')
  const { token } = await studio.on().tokens.createToken({ name: 'CI', scopes: ['upload'], days: 1 })
  const core = `http://127.0.0.1:${system.cores[0]!.port}`
  inputs = { path: 'dist', game: gameId, 'core-url': core, 'portal-url': system.url, token, label: `v1 "$(id)" 'x'` }
})
afterAll(() => system.close())

/** As a runner does: the variables of the step with the inputs, then its command. */
async function ran(more: Record<string, string> = {}, variables: Record<string, string> = {}) {
  const given = { ...inputs, ...more }
  const output = join(folder, 'output')
  writeFileSync(output, '')
  const env = Object.fromEntries(
    Object.entries(step.env).map(([name, value]) => {
      const input = inputOf(value)
      return [name, given[input] ?? action.inputs[input]!.default ?? '']
    }),
  )
  const child = spawn(step.shell, ['-e', '-c', step.run], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      GITHUB_ACTION_PATH: join(ci, 'github'),
      GITHUB_OUTPUT: output,
      ...env,
      ...variables,
    },
  })
  const [out, error, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((done) => child.on('close', done)),
  ])
  return { code, out, error, outputs: readFileSync(output, 'utf8') }
}

test('the action hands every input to the script, and has the outputs that it says', () => {
  expect(action.runs).toMatchObject({ using: 'composite', steps: [{ id: 'push' }] })
  expect(Object.values(step.env).map(inputOf).toSorted()).toEqual(Object.keys(action.inputs).toSorted())
  const script = readFileSync(join(ci, 'push.sh'), 'utf8')
  for (const name of Object.keys(step.env)) expect(script, name).toContain(name)
  // nothing of an input stands in a command
  expect(step.run).not.toContain('${{')
  for (const name of Object.keys(action.outputs)) expect(script).toContain(`${name}=\${`)
})

test('the package of push is one file of code that needs no other package, far below 5 MB', () => {
  const folder = resolve(ci, '..', '..', 'clients', 'push')
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json'], { cwd: folder, encoding: 'utf8' })
  const [packed] = JSON.parse(stdout) as { files: { path: string }[]; unpackedSize: number }[]
  const paths = packed!.files.map(({ path }) => path).toSorted()
  expect(paths).toEqual(['LICENSE', 'README.md', 'dist/games-lrs.js', 'package.json'])
  expect(packed!.unpackedSize).toBeLessThan(1_000_000)
  expect(readFileSync(join(folder, 'package.json'), 'utf8')).not.toContain('ependencies')
})

test('the action pushes a beta, and the same files only once', async () => {
  const first = await ran()
  expect(first).toMatchObject({ code: 0, error: '' })
  const { buildId, outcome, version, preview } = JSON.parse(first.out)
  expect([outcome, version]).toEqual(['uploaded', inputs['label']])
  expect(first.outputs).toBe(`outcome=uploaded\nbuild-id=${buildId}\nnumber=1\npreview=${preview}\n`)
  const { game } = await studio.on().games.getGame({ gameId: inputs['game']! })
  expect(game!.beta!.buildId).toBe(buildId)
  expect((await ran()).outputs).toContain('outcome=unchanged\n')
})

test('the script ends with the codes of the command line, and tries again where core is away', async () => {
  expect(await ran({ token: '' })).toMatchObject({ code: 2, error: expect.stringMatching(/^LRS_TOKEN is not set/) })
  expect(await ran({ path: 'none' })).toMatchObject({ code: 1, error: expect.stringMatching(/cannot be read/) })
  const away = await ran({ 'core-url': 'http://127.0.0.1:1' }, { PUSH_TRIES: '2', PUSH_WAIT: '0' })
  expect(away.code).toBe(3)
  expect(away.error.match(/Core does not answer/g)).toHaveLength(2)
})
