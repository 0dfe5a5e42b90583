import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { suites } from '../bench/suites.ts'

const root = resolve(import.meta.dirname, '..')

/** The bench, with one short round of each of these sub-benches: what it wrote. */
async function linesOf(names: readonly string[]): Promise<{ suite: string; value: number }[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lrs-bench-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const output = join(folder, 'bench.json')
  const round = ['--size', '300', '--rounds', '1', '--seconds', '0.05', '--minutes', '0.01', '--output', output]
  await promisify(execFile)(process.execPath, ['start/bootstrap.mjs', 'bench/bench.ts', ...names, ...round], {
    cwd: root,
    maxBuffer: 16 * 1024 * 1024,
  })
  return JSON.parse(readFileSync(output, 'utf8')).lines
}

// `hop` has every part of the bench: a filled store, core, gateway, load, and processes that take the places of others
test('a short round has its figures', async () => {
  const lines = await linesOf(['hop'])
  expect(lines.map(({ suite }) => suite)).toEqual(['hop', 'hop'])
  expect(lines.filter(({ value }) => !Number.isFinite(value))).toEqual([])
})

test('one short round of each suite has its figures', { tags: 'long' }, async () => {
  // `processes` starts 20 processes: it has its short round where somebody asks for it
  const short = suites.map(({ name }) => name).filter((name) => name !== 'processes')
  const lines = await linesOf(short)
  expect([...new Set(lines.map(({ suite }) => suite))]).toEqual(short)
  expect(lines.filter(({ value }) => !Number.isFinite(value))).toEqual([])
})
