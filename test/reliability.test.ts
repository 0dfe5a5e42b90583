import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { bugs } from './planted/bugs.ts'

const root = resolve(import.meta.dirname, '..')
const page = readFileSync(resolve(root, 'docs/reliability.md'), 'utf8')
const lines = [...page.matchAll(/^\| (\d+) \| .* \| (.*) \|$/gm)].map(([, number, shown]) => ({
  number: Number(number),
  shown: shown!,
}))

test('the page has every line of the torture list', () => {
  expect(lines.map(({ number }) => number)).toEqual(Array.from({ length: 55 }, (_, index) => index + 1))
})

/** What stands in the file of tests, or in those of the folder, with what they take their names from. */
function textOf(place: string): string | undefined {
  const path = resolve(root, place)
  if (existsSync(path) && !existsSync(`${path}.test.ts`))
    return place.endsWith('.json')
      ? ' '
      : readdirSync(path)
          .map((name) => readFileSync(resolve(path, name), 'utf8'))
          .join('\n')
  if (!existsSync(`${path}.test.ts`)) return undefined
  return [`${path}.test.ts`, resolve(root, 'test/cases', `${place.split('/').slice(-2).join('/')}.ts`)]
    .map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : ''))
    .join('\n')
}

test.each(lines)('the tests of line $number are there', ({ shown }) => {
  let text: string | undefined = ''
  for (const [token, place, name] of shown.matchAll(
    /((?:core|gateway|portal|start|storage|test)\/[\w./-]+)|"([^"]+)"/g,
  )) {
    if (place !== undefined) text = textOf(place)
    expect(text, `${token} of ${shown}`).toBeDefined()
    if (name !== undefined) expect(text, `${token} of ${shown}`).toContain(name)
  }
})

test.each(bugs)(
  'the planted bug fits the code and its test is there: $name',
  ({ file, from, seenBy: [seer, name] }) => {
    expect(readFileSync(resolve(root, file), 'utf8').split(from)).toHaveLength(2)
    expect(readFileSync(resolve(root, seer), 'utf8')).toContain(name)
  },
)
