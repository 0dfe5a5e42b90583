import { expect, test } from 'vitest'
import { cost } from '../../test/support/cost.ts'
import { statement } from '../../test/support/statements.ts'
import { rulesFor } from './dialect.ts'
import { prepareStatements } from './prepare.ts'

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

test.each(Object.entries(worst))('two megabytes of %s take core less than 300 ms, on a busy machine', (_name, make) => {
  const bytes = Buffer.from(JSON.stringify(make()))
  expect(bytes.length).toBeGreaterThan(800_000)
  expect(bytes.length).toBeLessThan(2 * 1024 * 1024)
  expect(cost(() => prepareStatements(bytes, how), 300)).toBeLessThan(300)
})
