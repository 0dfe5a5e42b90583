import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { endAll, temporaryFolder } from './fixtures/launch.ts'
import { noteRunning, runningPorts } from './running.ts'

afterAll(endAll)

test('a running system is found by its data folder; one that is gone, another process with its number, and what is damaged are not', () => {
  const folder = temporaryFolder()
  expect(runningPorts(folder)).toBeUndefined()
  const forget = noteRunning(folder, { CORE_PORT: 4711 })
  expect(runningPorts(folder)).toEqual({ CORE_PORT: 4711 })
  const file = join(folder, 'running.json')
  const text = readFileSync(file, 'utf8')
  for (const other of [
    text.replace(/"\d+ /, '"1 '),
    text.replace(/ \d+"/, ' 1"'),
    text.replace('4711', '"4711@games.example"'),
    '{',
    '[]',
    'null',
    '',
  ]) {
    writeFileSync(file, other)
    expect(runningPorts(folder), other).toBeUndefined()
  }
  forget()
  expect(existsSync(file)).toBe(false)
})
