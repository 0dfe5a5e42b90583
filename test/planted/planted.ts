// Plants one bug at a time in a copy of the tree and runs the tests that have to see it: `npm run planted`, or `-- rollback`.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { bugs, type Planted } from './bugs.ts'

const root = resolve(import.meta.dirname, '..', '..')
const only = process.argv[2] ?? ''
const chosen = bugs.filter(({ name }) => name.includes(only))
if (chosen.length === 0) {
  process.stderr.write(
    `No planted bug is called ${JSON.stringify(only)}. There are:\n${bugs.map(({ name }) => `  ${name}`).join('\n')}\n`,
  )
  process.exit(2)
}
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-planted-')))
/** Top-level folders that the copy does not need: `core/records/command` is another one. */
const left = new Set(['node_modules', 'data', '.git'].map((name) => join(root, name)))

/** Whether the tests pass, and what they said. */
function test([file, name]: Planted['seenBy']): { passed: boolean; said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/run.ts', file, '-t', name], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  return { passed: status === 0, said: `${stdout}${stderr}` }
}

/** What is wrong; undefined: the bug is seen. */
function attempt({ file, from, to, seenBy }: Planted): string | undefined {
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(from).length !== 2) return `${file} has changed: the bug does not fit any more`
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
  const { passed, said } = test(seenBy)
  writeFileSync(path, text)
  if (passed) return 'NOT SEEN'
  // a test that ran and failed, not one that could not run
  return new RegExp(`× .*${seenBy[1].replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`).test(said)
    ? undefined
    : `the test did not run:\n${said.slice(-2_000)}`
}

try {
  cpSync(root, copy, { recursive: true, filter: (path) => !left.has(path) })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const seenBy of new Map(chosen.map(({ seenBy }) => [seenBy.join(), seenBy])).values()) {
    const { passed, said } = test(seenBy)
    if (!passed) throw new Error(`Without a bug, ${seenBy.join(': ')} does not pass:\n${said.slice(-2_000)}`)
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
