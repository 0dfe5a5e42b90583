// Plants one bug at a time in a copy of the tree and runs the tests that have to see it: `npm run planted`, or `-- rollback`.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { clientsUnderTest, missing } from '../../clients/conformance/drivers.ts'
import { bugs, type Planted } from './bugs.ts'
import { bugsOfClients } from './clients.ts'

const root = resolve(import.meta.dirname, '..', '..')
const only = process.argv[2] ?? ''
const all = [...bugs, ...bugsOfClients]
const named = all.filter(({ name }) => name.includes(only))
if (named.length === 0) {
  process.stderr.write(
    `No planted bug is called ${JSON.stringify(only)}. There are:\n${all.map(({ name }) => `  ${name}`).join('\n')}\n`,
  )
  process.exit(2)
}
const lacking = new Set(clientsUnderTest.filter((one) => missing(one).length > 0).map(({ name }) => name))
const chosen = named.filter(({ client }) => client === undefined || !lacking.has(client))
for (const { name } of named) if (!chosen.some((bug) => bug.name === name)) process.stdout.write(`NOT RUN ${name}\n`)
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-planted-')))
/** Top-level folders that the copy does not need: `core/records/command` is another one. */
const left = new Set(['node_modules', 'data', '.git'].map((name) => join(root, name)))

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Whether tests of one file pass, and what they said. @param bugs that these tests have to see */
function test(...bugs: readonly Planted[]): { passed: boolean; said: string } {
  const { file, client, seenBy } = bugs[0]!
  // what the portal serves, and the add-on for Godot 3, are made from the sources
  for (const made of ['javascript', 'godot'])
    if (file.startsWith(`clients/${made}/`)) spawnSync(process.execPath, [`clients/${made}/build.ts`], { cwd: copy })
  const names = [...new Set(bugs.map(({ seenBy }) => literally(seenBy[1])))].join('|')
  const pattern = client === undefined ? names : `${literally(client)} > (${names})`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/run.ts', seenBy[0], '-t', pattern], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', LRS_TEST_CLIENTS: client },
  })
  return { passed: status === 0, said: `${stdout}${stderr}` }
}

/** What is wrong; undefined: the bug is seen. */
function attempt(bug: Planted): string | undefined {
  const { file, from, to, seenBy } = bug
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(from).length !== 2) return `${file} has changed: the bug does not fit any more`
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
  const { passed, said } = test(bug)
  writeFileSync(path, text)
  if (passed) return 'NOT SEEN'
  // a test that ran and failed, not one that could not run
  return new RegExp(`× .*${literally(seenBy[1])}`).test(said)
    ? undefined
    : `the test did not run:\n${said.slice(-2_000)}`
}

try {
  cpSync(root, copy, { recursive: true, filter: (path) => !left.has(path) })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const bugs of Map.groupBy(chosen, ({ client, seenBy }) => `${client}: ${seenBy[0]}`).values()) {
    const { passed, said } = test(...bugs)
    if (!passed) throw new Error(`Without a bug, a test of ${bugs[0]!.seenBy[0]} does not pass:\n${said.slice(-2_000)}`)
  }
  for (const bug of chosen) {
    const wrong = attempt(bug)
    process.stdout.write(
      `${wrong === undefined ? 'seen  ' : 'WRONG '} ${bug.name}${wrong === undefined ? ` (${bug.seenBy.join(': ')})` : `: ${wrong}`}\n`,
    )
    if (wrong !== undefined) process.exitCode = 1
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
