import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { identity } from '../../start/processes.ts'
import { makeRunFolder } from './run-folder.ts'

test('a run removes the folders of runs that have ended, and no others', () => {
  const place = mkdtempSync(join(tmpdir(), 'lrs-places-'))
  const own = identity(process.pid)!
  const left = (name: string, owner: string | undefined) => {
    mkdirSync(join(place, name, 'postgres'), { recursive: true })
    if (owner !== undefined) writeFileSync(join(place, name, 'owner'), owner)
    return join(place, name)
  }
  // the process has ended, and another one has got its id
  const ended = left('lrs-test-run-ended', `${process.pid} 1`)
  const running = left('lrs-test-run-running', own)
  const beginning = left('lrs-test-run-beginning', undefined)
  const other = left('of-something-else', `${process.pid} 1`)
  try {
    const folder = makeRunFolder([join(place, 'no-such-place'), place])
    expect([ended, running, beginning, other].map((path) => existsSync(path))).toEqual([false, true, true, true])
    expect(folder.path.startsWith(join(place, 'lrs-test-run-'))).toBe(true)
    // programs that run as another user write there
    expect(statSync(folder.tmp).mode & 0o7777).toBe(0o1777)
    folder.remove()
    expect(existsSync(folder.path)).toBe(false)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
})
