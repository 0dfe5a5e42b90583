import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { csvCell, csvFile } from './csv.ts'

test.each([
  ['Ann', 'Ann'],
  ['', ''],
  [undefined, ''],
  [null, ''],
  [-3.5, '-3.5'],
  [12n, '12'],
  [true, 'true'],
  ['a,b', '"a,b"'],
  ['a "b"', '"a ""b"""'],
  [' a ', '" a "'],
  ['two\r\nlines', '"two\r\nlines"'],
  [{ a: '=1' }, '"{""a"":""=1""}"'],
  // text that would reckon
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1+cmd', "'-1+cmd"],
  ['@sum(a1)', "'@sum(a1)"],
  ['\uff1d1+1', "'\uff1d1+1"],
  ['\t=1', '"\'\t=1"'],
  ['\n=1', '"\'\n=1"'],
  // and where a file is split at other signs
  ['x;=1+1', '"x;=1+1"'],
  ['x\t=1+1', '"x\t=1+1"'],
])('%o is written as %o', (value, cell) => expect(csvCell(value)).toBe(cell))

test('a file has the mark, and ends each line', () =>
  expect(
    csvFile([
      ['a', 1],
      ['=b', 2],
    ]),
  ).toBe("\ufeffa,1\r\n'=b,2\r\n"))

test('nothing else writes CSV', () => {
  const root = resolve(import.meta.dirname, '..')
  const files = globSync('{admin,core,gateway,player,portal,shared}/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
  expect(files.length).toBeGreaterThan(400)
  const own = files.filter((file) =>
    /csv-stringify|replaceAll\('"', '""'\)/.test(readFileSync(`${root}/${file}`, 'utf8')),
  )
  expect(own).toEqual(['shared/csv.ts'])
})
