import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { statement } from './support/statements.ts'
import { authorizationOf } from '../bench/keys.ts'
import { suites } from '../bench/suites.ts'
import { standIn, startSystem } from '../bench/system.ts'

const root = resolve(import.meta.dirname, '..')

test('core without Postgres starts as it is today, and a gateway stores with it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lrs-stand-in-'))
  const databaseUrl = `postgres:///none?host=${folder}`
  const system = await startSystem({ databaseUrl, folder, coreScript: standIn('core') })
  onTestFinished(async () => {
    await system.stop()
    rmSync(folder, { recursive: true })
  })
  const { status } = await fetch(`http://127.0.0.1:${system.port}/xapi/statements`, {
    method: 'POST',
    headers: {
      authorization: authorizationOf(0),
      'content-type': 'application/json',
      'x-experience-api-version': '1.0.3',
    },
    body: JSON.stringify(statement()),
  })
  expect(status).toBe(200)
})

test('the bench runs whole: one short round of each suite has its figures', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lrs-bench-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const output = join(folder, 'bench.json')
  const named = suites.map(({ name }) => name)
  const round = ['--size', '300', '--rounds', '1', '--seconds', '0.05', '--minutes', '0.01', '--output', output]
  // `processes` starts 20 processes: it has its short round where somebody asks for it
  const short = named.filter((name) => name !== 'processes')
  await promisify(execFile)(process.execPath, ['start/bootstrap.mjs', 'bench/bench.ts', ...short, ...round], {
    cwd: root,
    maxBuffer: 16 * 1024 * 1024,
  })
  const { lines } = JSON.parse(readFileSync(output, 'utf8')) as { lines: { suite: string; value: number }[] }
  expect([...new Set(lines.map(({ suite }) => suite))]).toEqual(short)
  expect(lines.filter(({ value }) => !Number.isFinite(value))).toEqual([])
})
