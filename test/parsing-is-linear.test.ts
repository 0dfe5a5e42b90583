import { expect, test } from 'vitest'
import { canonical, idsOnly } from '../core/records/xapi/format.ts'
import { forget } from '../core/records/xapi/forget.ts'
import { agentKey } from '../core/records/xapi/identify.ts'
import { mergeDocuments } from '../core/records/xapi/merge.ts'
import { outlineOf } from '../core/records/xapi/outline.ts'
import { parse } from '../core/records/xapi/json.ts'
import { prepareStatements } from '../core/records/xapi/prepare.ts'
import { rulesFor } from '../core/records/xapi/dialect.ts'
import { typed } from '../core/records/worker/typed.ts'
import { statement } from './support/statements.ts'
import { stepsOf } from './support/steps.ts'

const how = {
  rules: rulesFor('1.0.3', 'games'),
  authority: '{"mbox":"mailto:a@b.c"}',
  now: '2026-11-21T00:00:00.000000Z',
  maxStatements: 250,
}

/** What is inside of the levels, of about `size` characters. */
const inner: Record<string, (size: number) => string> = {
  'escaped quotes': (size) => `"${'\\"'.repeat(size / 2)}"`,
  backslashes: (size) => `"${'\\\\'.repeat(size / 2)}"`,
  digits: (size) => '1'.repeat(size),
  spaces: (size) => `${' '.repeat(size)}1`,
  strings: (size) =>
    `[${Array(Math.round(size / 100))
      .fill(`"${'s'.repeat(97)}"`)
      .join()}]`,
  'escaped keys': (size) => `{${Array.from({ length: size / 20 }, (_, n) => `"\\u0061 ${n}":0`).join()}}`,
}
const nested = (content: string, depth: number) => '{"\\u0061":'.repeat(depth) + content + '}'.repeat(depth)
const text = (extension: string) =>
  JSON.stringify(statement({ context: { extensions: { 'x:y': 0 } } })).replace('"x:y":0', `"x:y":${extension}`)
const document = (content: string) => Buffer.from(`{"a":${content}}`)

/** Whoever reads what comes from outside, or what is stored. */
const readers: Record<string, (content: string) => unknown> = {
  parse: (content) => parse(content),
  'prepare a statement': (content) => prepareStatements(Buffer.from(text(content)), how),
  'merge documents': (content) => mergeDocuments(document(content), document(content)),
  'a typed read': (content) => typed(Buffer.from(text(content))),
  'an outline': (content) => outlineOf(text(content)),
  'format=ids': (content) => idsOnly(text(content)),
  'format=canonical': (content) => canonical(text(content), ['en']),
  'an erasure': (content) => forget(text(content), agentKey({ mbox: 'mailto:x@y.z' })!, { homePage: 'x:y', name: 'p' }),
}

const size = 40_000
const cases = Object.keys(readers).flatMap((reader) => Object.keys(inner).map((of) => [reader, of] as const))

test.each(cases)('%s takes steps as the bytes grow, and not as the levels do: %s', (reader, of) => {
  const steps = (length: number, depth: number) => stepsOf(() => readers[reader]!(nested(inner[of]!(length), depth)))
  const once = steps(size, 60)
  expect(once).toBeGreaterThan(size)
  expect(steps(2 * size, 60)).toBeLessThan(2.1 * once)
  expect(once).toBeLessThan(1.2 * steps(size, 30))
  // a pass or two for each level of a statement itself
  expect(once).toBeLessThan(30 * size)
})
