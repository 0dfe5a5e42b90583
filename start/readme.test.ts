import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const setting = /\b(?:LRS_[A-Z0-9_]+|DATABASE_URL|CORE_URL|CORE_RELAY_URL|(?:GATEWAY|PORTAL|PLAYER|CORE|CORE_RELAY)_(?:METRICS_)?(?:PORT|HOST))\b/g
/** What processes of ours tell each other. */
const internal = new Set(['LRS_BOOTSTRAP_PARENT', 'LRS_PARENT_PIPE'])

const settingsIn = (text: string): string[] => [...new Set(text.match(setting))].filter((name) => !internal.has(name)).toSorted()

/** Names in code that reads them; comments and messages name them too, so those of the environment are quoted or members of `env`. */
function settingsOfCode(): string[] {
  const files = globSync('{admin,core,gateway,player,portal,start,storage}/**/*.{ts,mjs}', { cwd: root, exclude: ['**/*.test.ts', '**/fixtures/**'] })
  const read = files.flatMap((file) => readFileSync(join(root, file), 'utf8').match(/'[A-Z][A-Z0-9_]+'|env\.[A-Z][A-Z0-9_]+/g) ?? [])
  return settingsIn(read.join(' '))
}

test('the table of settings in README.md names every setting that is read, and no other', () => {
  const rows = readFileSync(join(root, 'README.md'), 'utf8').split('\n').filter((line) => line.startsWith('| `'))
  const told = rows.map((row) => row.split('|')[1]!)
  expect(settingsIn(told.join(' '))).toEqual(settingsOfCode())
})
