import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { runInThisContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
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

describe('what docs/engines.md sends is stored', () => {
  const page = readFileSync(join(root, 'docs/engines.md'), 'utf8')
  const codeOf = (engine: string): string =>
    new RegExp(`## ${engine}\\n[^]*?\`\`\`\\w+\\n([^]*?)\`\`\``).exec(page)![1]!
  const actor = { account: { homePage: 'https://games.example.org', name: 'ada' } }
  const registration = '0b0a7f52-1b8e-4a51-9c5d-111111111111'
  const stored = (activity: string) => game.xapi().all({ activity: `${activity}/level-1` })
  const reported = { context: { registration }, result: { completion: true, score: { scaled: 0.8 } } }

  test.each([
    ['LÖVE', /\[\[([^]*?)\]\]/],
    ['libGDX', /"""([^]*?)"""/],
    ['Bevy', /r#"([^]*?)"#/],
  ])('%s', async (engine, literal) => {
    const activity = `https://games.example.org/${encodeURIComponent(engine)}`
    const code = codeOf(engine)
    const values = [crypto.randomUUID(), JSON.stringify(actor), activity, 'level-1', '0.8', registration]
    const [, text] = literal.exec(code)!
    // Rust writes a brace twice
    const body = text!.replaceAll(engine === 'Bevy' ? /\{\{|\}\}|\{\}/g : /%s/g, (found) =>
      found === '{{' ? '{' : found === '}}' ? '}' : values.shift()!,
    )
    const headers: Record<string, string> = { Authorization: await game.launch(actor, registration) }
    for (const [, name, value] of code.matchAll(/"(X-Experience-API-Version|Content-Type)"\]?[^"]+"([^"]+)"/g))
      headers[name!] = value!
    const { status } = await fetch(`${system.urls[0]}/xapi/statements`, { method: 'POST', headers, body })
    expect([status, values]).toEqual([200, []])
    expect(await stored(activity)).toMatchObject([reported])
  })

  test.each(['GDevelop', 'RPG Maker'])('%s', async (engine) => {
    const activity = `https://games.example.org/${encodeURIComponent(engine)}`
    const query = new URLSearchParams({
      endpoint: `${system.urls[0]}/xapi/`,
      auth: await game.launch(actor, registration),
      actor: JSON.stringify(actor),
      registration,
      activity_id: activity,
    })
    const client = readFileSync(join(root, 'clients/javascript/dist/games-lrs.global.js'), 'utf8')
    const load = (script?: { onload?(): void }): void => (runInThisContext(client), script?.onload?.())
    vi.stubGlobal('location', new URL(`https://game.example/?${query}`))
    vi.stubGlobal('addEventListener', () => {})
    const document = { createElement: () => ({}), head: { append: load }, addEventListener: () => {} }
    vi.stubGlobal('document', document)
    load()
    runInThisContext(codeOf(engine).replace('const script', 'var script'))
    // oxlint-disable-next-line typescript/no-explicit-any
    const { levelWon, lrs } = globalThis as any
    await levelWon('level-1', 0.8)
    await (await lrs).flush()
    vi.unstubAllGlobals()
    // other files share the process
    Object.assign(globalThis, { lrs: undefined, levelWon: undefined })
    expect(await stored(activity)).toMatchObject([reported])
  })
})
