import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { samples } from '../portal/pages/games/code/client-code.ts'
import type { Game } from './support/games.ts'
import { startSystem, type System } from './support/system.ts'

// What the portal shows beside a credential is run here as it stands, each sample in a process of its own.

const root = resolve(import.meta.dirname, '..')
const run = promisify(execFile)
/** Programs of samples that this machine may not have. */
const programs: Record<string, string> = { curl: 'curl', Python: 'python3' }
const absent = new Set(
  Object.keys(programs).filter((name) => {
    try {
      execFileSync(programs[name]!, ['--version'], { stdio: 'ignore' })
      return false
    } catch {
      process.stderr.write(`\n!!! NO ${programs[name]}: the sample for ${name} is NOT run.\n\n`)
      return true
    }
  }),
)

let system: System
let game: Game
let folder: string
beforeAll(async () => {
  system = await startSystem()
  game = await system.game()
  folder = mkdtempSync(join(tmpdir(), 'lrs-samples-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(root, 'clients', 'javascript', 'dist', 'games-lrs.js'), join(folder, 'games-lrs.js'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await system.close()
})

const runners: Record<string, (code: string, name: string) => Promise<unknown>> = {
  curl: (code) => run('sh', ['-ec', code]),
  Python: (code) => run('python3', ['-c', code]),
  TinCanJS: (code, name) => node(`import TinCan from 'tincanjs'\n${code}`, name),
}

function node(code: string, name: string): Promise<unknown> {
  const file = join(folder, `${name.replaceAll(/\W/g, '')}.mjs`)
  writeFileSync(file, code)
  return run(process.execPath, [file], { cwd: folder })
}

describe('the code that the portal shows stores a statement', () => {
  const names = samples({ endpoint: 'http://x/', key: '', secret: '', activity: '' }).map(({ name }) => name)

  test.each(names)('%s', async (name) => {
    if (absent.has(name)) return
    const activity = `https://games.example.org/${encodeURIComponent(name)}`
    const all = samples({ endpoint: `${system.urls[0]}/xapi/`, key: game.key, secret: game.secret, activity })
    await (runners[name] ?? node)(all.find((sample) => sample.name === name)!.code, name)
    const stored = await game.xapi().all({ activity: `${activity}/level-1` })
    expect(stored).toMatchObject([{ result: { completion: true, score: { scaled: 0.8 } } }])
  })
})
