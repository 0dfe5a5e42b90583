import { expect, test } from 'vitest'
import { cost } from '../../../test/support/cost.ts'
import { statement } from '../../../test/support/statements.ts'
import { rulesFor } from './dialect.ts'
import { mergeDocuments } from './merge.ts'
import { isCostly, laneOf, prepareStatements } from './prepare.ts'

const how = {
  rules: rulesFor('1.0.3', 'games'),
  authority: '{"mbox":"mailto:a@b.c"}',
  now: '2026-11-21T00:00:00.000000Z',
  maxStatements: 250,
}
const list = <T>(length: number, make: (n: number) => T) => Array.from({ length }, (_, n) => make(n))
const keyed = (length: number, key: (n: number) => string, value: unknown) =>
  Object.fromEntries(list(length, (n) => [key(n), value]))
const extended = (value: unknown) => statement({ result: { extensions: { 'x:y': value } } })
const nested = (depth: number): unknown =>
  depth === 0 ? 1 : depth % 2 ? [nested(depth - 1)] : { a: nested(depth - 1) }
const named = (n: number) => ({
  id: `https://games.example.org/activities/${n}`,
  definition: { name: { en: 'a name', de: 'ein Name' }, description: { en: 'more' } },
})

/** Bodies of nearly 2 MB, each with as much as there may be of something. */
const worst: Record<string, () => unknown> = {
  keys: () => extended(keyed(133_000, (n) => `k${n}`, 1)),
  extensions: () => statement({ result: { extensions: keyed(133_000, (n) => `x:${n}`, 1) } }),
  languages: () => statement({ verb: { id: 'x:y', display: keyed(110_000, (n) => `x-a${n.toString(36)}`, 'v') } }),
  levels: () => extended(list(10_000, () => nested(50))),
  'empty arrays': () => extended(list(660_000, () => [])),
  activities: () => statement({ context: { contextActivities: { other: list(9_900, named) } } }),
  statements: () =>
    list(250, (s) => statement({ context: { contextActivities: { other: list(39, (n) => named(s * 39 + n)) } } })),
  members: () =>
    statement({
      actor: {
        objectType: 'Group',
        member: list(9_900, (n) => ({
          name: 'x',
          account: { homePage: 'https://games.example.org/players', name: `p${n}` },
        })),
      },
    }),
}

const nestedKeys = (content: string) => '{"\\u0061":'.repeat(55) + content + '}'.repeat(55)
/** JSON of about `size` bytes below 55 escaped keys. */
const escaped: Record<string, (size: number) => string> = {
  digits: (size) => nestedKeys('1'.repeat(size)),
  spaces: (size) => nestedKeys(`${' '.repeat(size)}1`),
  'escaped quotes': (size) => nestedKeys(`"${'\\"'.repeat(size / 2)}"`),
  '19,000 strings': (size) => nestedKeys(`[${list(19_000, () => `"${'s'.repeat(size / 19_000 - 3)}"`).join()}]`),
}
const around = (json: string) => Buffer.from(JSON.stringify(extended(0)).replace('"x:y":0', `"x:y":${json}`))

test.each([
  ...Object.entries(worst).map(([name, make]) => [name, () => Buffer.from(JSON.stringify(make()))] as const),
  ...Object.entries(escaped).map(
    ([name, make]) => [`nested escaped keys around ${name}`, () => around(make(2e6))] as const,
  ),
])('two megabytes of %s take the worker thread less than 300 ms, on a busy machine', (_name, make) => {
  const bytes = make()
  expect(bytes.length).toBeGreaterThan(800_000)
  expect(bytes.length).toBeLessThan(2 * 1024 * 1024)
  expect(isCostly(bytes)).toBe(true)
  expect(cost(() => prepareStatements(bytes, how), 300)).toBeLessThan(300)
})

test.each([
  ...Object.entries(escaped).filter(([name]) => name !== 'escaped quotes'),
  ['80,000 escaped quotes', (size) => nestedKeys(`"${'\\"'.repeat(79_000)}${'s'.repeat(size - 160_000)}"`)],
  [
    '9,000 escaped keys',
    (size) => `{${list(9_000, (n) => `"\\u0061 ${n} ${'s'.repeat(size / 9_000 - 20)}":0`).join()}}`,
  ],
  ['a page of spaces', (size) => ' '.repeat(size) + '1'],
] satisfies [string, (size: number) => string][])(
  'what waits for usual batches only takes less than 20 ms: %s',
  (_name, make) => {
    const bytes = around(make(500_000))
    expect(isCostly(bytes)).toBe(false)
    expect(cost(() => prepareStatements(bytes, how), 20)).toBeLessThan(20)
  },
)

test.each(Object.entries(escaped))(
  'two documents of 500 KB of nested escaped keys around %s merge in less than 100 ms',
  (_name, make) => {
    const document = Buffer.from(`{"a":${make(500_000)}}`)
    expect(cost(() => mergeDocuments(document, document), 100)).toBeLessThan(100)
  },
)

const usual = (count: number) =>
  Buffer.from(`[${list(count, () => JSON.stringify(statement({ result: { response: 'r'.repeat(500) } }))).join()}]`)
test.each([
  ['one statement', usual(1), undefined],
  ['250 usual statements', usual(250), 'usual'],
  ['half a megabyte of numbers', around(`[${'1,'.repeat(100_000)}1]`), 'heavy'],
])('%s: its thread is %3$s', (_name, bytes, lane) => expect(laneOf(bytes)).toBe(lane))
