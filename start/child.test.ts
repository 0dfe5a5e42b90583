import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runChild } from './child.ts'
import { temporaryFolder } from './fixtures/launch.ts'

test.each([
  [
    'process.stderr.write("core cannot start: the database cannot be reached\\n"); process.exit(1)',
    'exited with code 1 (core cannot start: the database cannot be reached)',
    false,
  ],
  ['throw new TypeError("odd")', 'exited with code 1 (TypeError: odd)', false],
  ['process.stderr.write("X is 1, but must be 2.\\n"); process.exit(2)', 'X is 1, but must be 2.', true],
  ['process.exit(3)', 'exited with code 3', false],
  ['process.kill(process.pid, "SIGKILL")', 'was ended by SIGKILL', false],
])('the end of a process is told in one line: %s', async (code, how, lasting) => {
  const folder = temporaryFolder()
  const script = join(folder, 'script.mjs')
  writeFileSync(script, code)
  const run = runChild({
    script,
    env: process.env,
    log: join(folder, 'log'),
    probe: async () => false,
    onWarning: () => {},
  })
  expect(await run.exited).toEqual({ how, lasting })
})
