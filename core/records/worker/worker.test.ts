import { afterEach, expect, test } from 'vitest'
import { statement } from '../../../test/support/statements.ts'
import { rulesFor } from '../xapi/dialect.ts'
import { prepareStatements } from '../xapi/prepare.ts'
import { textsOf } from './jobs.ts'
import { heavyWork, type HeavyWork } from './worker.ts'
import { bestOfThree } from '../../../test/support/cost.ts'

let work: HeavyWork
afterEach(() => work.close())
const started = (over: Partial<Parameters<typeof heavyWork>[0]> = {}) =>
  (work = heavyWork({ waiting: 10, waitingOfGame: 5, patience: 10_000, timeout: 10_000, ...over }))

const how = {
  rules: rulesFor('1.0.3', 'games'),
  authority: '{"mbox":"mailto:a@b.c"}',
  now: '2026-11-21T00:00:00.000000Z',
  maxStatements: 2,
}
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

test('the worker thread gives the same results as this thread', async () => {
  const { run } = started()
  const signature = {
    usageType: 'http://adlnet.gov/expapi/attachments/signature',
    display: { en: 'x' },
    contentType: 'application/octet-stream',
    length: 1,
    sha2: 'a'.repeat(64),
  }
  const json = bytesOf(
    statement({
      result: JSON.parse('{"extensions":{"e:1":{"__proto__":-0.0,"x":1e400}}}'),
      attachments: [signature, signature],
    }),
  )
  const { bodies, ...rest } = prepareStatements(json, how)
  // a Buffer becomes plain bytes on its way
  for (const lane of ['usual', 'heavy'] as const)
    expect(await run('prepare', 1, { json, how }, lane)).toEqual({ ...rest, bodies: new Uint8Array(bodies) })
})

test('the worker thread reports the same errors as this thread', async () => {
  const { run } = started()
  await expect(run('prepare', 1, { json: bytesOf([{}]), how })).rejects.toMatchObject({
    name: 'Problem',
    path: expect.stringContaining('statements[0]'),
  })
  await expect(run('prepare', 1, { json: bytesOf([1, 2, 3]), how })).rejects.toMatchObject({ name: 'TooMany', max: 2 })
})

test('a job that takes too long is refused, and the next job is done', bestOfThree, async () => {
  const { run } = started({ timeout: 2_500 })
  const display = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`x-a${n.toString(36)}`, '']))
  const texts = textsOf(Array(60).fill(bytesOf({ verb: { display } })))
  await expect(run('format', 1, { texts, form: { format: 'canonical', acceptLanguage: 'en' } })).rejects.toMatchObject({
    reason: 'unavailable',
  })
  const { bytes } = await run('format', 2, {
    texts: textsOf([bytesOf({ verb: { display: { de: 'a', en: 'b' } } })]),
    form: { format: 'canonical', acceptLanguage: 'en' },
  })
  expect(Buffer.from(bytes).toString()).toBe('{"verb":{"display":{"en":"b"}}}')
})
