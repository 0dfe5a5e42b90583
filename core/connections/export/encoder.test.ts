import { parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { encoder } from './encoder.ts'
import type { ExportForm } from './form.ts'

const form: ExportForm = {
  format: 'csv',
  languages: '',
  extensions: [],
  mark: false,
  continues: false,
  pseudonymity: undefined,
}
const unnamed = { verbs: [], activities: [] }
const statement = (over: object = {}) => ({
  id: '6690e6c9-3ef0-4ed3-8b37-7f3964730bee',
  actor: { name: 'Ada', account: { homePage: 'https://games.example', name: 'ada' } },
  verb: { id: 'http://adlnet.gov/expapi/verbs/completed', display: { 'en-US': 'completed', de: 'beendete' } },
  object: { id: 'https://games.example/levels/the-cave' },
  timestamp: '2026-11-22T12:00:00.5+02:00',
  stored: '2026-11-22T10:00:01.000002Z',
  ...over,
})
const bytesOf = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))

/** The file of some statements that come two at a time. */
async function fileOf(list: readonly unknown[], over: Partial<ExportForm> = {}, known = unnamed as never) {
  const { take, encode, end } = encoder({ ...form, ...over })
  const parts: Uint8Array[] = []
  for (let at = 0; at < list.length; at += 2) {
    take(list.slice(at, at + 2).map(bytesOf))
    parts.push(await encode(known))
  }
  return Buffer.concat([...parts, await end()])
}

/** Lines of the CSV as objects of its cells; for cells without line feeds. */
async function rowsOf(list: readonly unknown[], over: Partial<ExportForm> = {}, known = unnamed as never) {
  const [head = '', ...lines] = (await fileOf(list, over, known)).toString().trimEnd().split('\r\n')
  const cellsOf = (line: string) =>
    Array.from(
      line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g),
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!,
    )
  const names = cellsOf(head)
  return lines.map((line) => Object.fromEntries(cellsOf(line).map((cell, at) => [names[at]!, cell])))
}

test('a row has times in UTC, names in words and seconds', async () => {
  const [row] = await rowsOf([
    statement({
      result: {
        success: false,
        completion: true,
        score: { scaled: -0.5, raw: 3, min: -1, max: 9 },
        duration: 'PT1M2.5S',
        response: 'a',
      },
      context: { registration: 'EC531277-B57B-4C15-8D91-D292C5B2B8F7', revision: '1.4' },
    }),
  ])
  expect(row).toEqual({
    id: '6690e6c9-3ef0-4ed3-8b37-7f3964730bee',
    stored: '2026-11-22T10:00:01.000002Z',
    timestamp: '2026-11-22T10:00:00.500000Z',
    learner_name: 'Ada',
    learner: 'https://games.example|ada',
    verb: 'completed',
    verb_iri: 'http://adlnet.gov/expapi/verbs/completed',
    object_type: 'Activity',
    activity: 'the cave',
    activity_iri: 'https://games.example/levels/the-cave',
    activity_type: '',
    success: 'false',
    completion: 'true',
    score_scaled: '-0.5',
    score_raw: '3',
    score_min: '-1',
    score_max: '9',
    duration_seconds: '62.5',
    response: 'a',
    registration: 'ec531277-b57b-4c15-8d91-d292c5b2b8f7',
    build: '1.4',
  })
})

test('names come from what core knows, in the best language', async () => {
  const known = {
    verbs: [['http://adlnet.gov/expapi/verbs/completed', 'did it']],
    activities: [
      [
        'https://games.example/levels/the-cave',
        { name: { en: 'The Cave', de: 'Die Höhle' }, type: 'https://w3id.org/xapi/seriousgames/activity-types/level' },
      ],
    ],
  } as never
  const { take } = encoder(form)
  expect(take([bytesOf(statement({ verb: { id: 'e:v' } }))])).toEqual({
    verbs: ['e:v'],
    activities: ['https://games.example/levels/the-cave'],
  })
  const list = [statement(), statement({ verb: { id: 'http://adlnet.gov/expapi/verbs/completed' } })]
  const [first, second] = await rowsOf(list, { languages: 'de' }, known)
  expect([first!['verb'], first!['activity']]).toEqual(['beendete', 'Die Höhle'])
  expect(first!['activity_type']).toBe('https://w3id.org/xapi/seriousgames/activity-types/level')
  expect(second!['verb']).toBe('did it')
})

test.each([
  ['=1+1', `'=1+1`],
  ['+1', `'+1`],
  ['-1', `'-1`],
  ['@x', `'@x`],
  ['\tx', `"'\tx"`],
  ['＝1', `'＝1`],
  ['a=1', 'a=1'],
  ['say "hi", all', '"say ""hi"", all"'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['a;b', '"a;b"'],
])('the response %j is the cell %s', async (response, cell) => {
  const text = (await fileOf([statement({ result: { response } })])).toString()
  expect(text).toContain(`,${cell},,\r\n`)
})

test('extensions have columns with their JSON, wherever a statement has them', async () => {
  const [level, mood, other] = ['https://x.example/level', 'https://x.example/mood', 'https://x.example/other']
  const rows = await rowsOf(
    [
      statement({ result: { extensions: { [level]: -3 } }, context: { extensions: { [mood]: { a: ['b'] } } } }),
      statement({ object: { id: 'e:a', definition: { extensions: { [mood]: '=x' } } } }),
    ],
    { extensions: [level, mood, other] },
  )
  expect(rows.map((row) => [row[level], row[mood], row[other]])).toEqual([
    ['-3', '{"a":["b"]}', ''],
    ['', '"=x"', ''],
  ])
})

test('with pseudonyms, rows of CSV and Parquet have the pseudonym as the name, too', async () => {
  const pseudonymity = { key: Buffer.alloc(32, 1), authority: '{"mbox":"mailto:lrs@x.example"}', bare: false }
  const [row] = await rowsOf([statement()], { pseudonymity })
  expect(row!['learner_name']).toMatch(/^[\w-]{22}$/)
  expect(row!['learner']).toBe(row!['learner_name'])
  const file = await fileOf([statement()], { format: 'parquet', pseudonymity })
  const [{ learner_name, learner }] = (await parquetReadObjects({
    file: file.buffer.slice(file.byteOffset, file.byteOffset + file.length),
  })) as [{ learner_name: string; learner: string }]
  expect([learner_name, learner]).toEqual([row!['learner'], row!['learner']])
})

test('a CSV may begin with a byte order mark; an empty file has its head', async () => {
  expect((await fileOf([], { mark: true })).toString()).toMatch(/^\ufeffid,stored,.*,build\r\n$/)
  expect((await fileOf([], {})).toString()).toMatch(/^id,/)
})

test('NDJSON and JSON have the statements byte for byte', async () => {
  const odd = ['{"id":1, "a": 1.50}', '{"\\u0069d":2}', '{"id":\r\n3}']
  expect((await fileOf(odd, { format: 'ndjson' })).toString()).toBe('{"id":1, "a": 1.50}\n{"\\u0069d":2}\n{"id":  3}\n')
  expect((await fileOf(odd, { format: 'json' })).toString()).toBe(`[\n${odd.join(',\n')}\n]\n`)
  expect((await fileOf([], { format: 'json' })).toString()).toBe('[]\n')
})

test('Parquet has typed columns, the extensions and the whole statement', async () => {
  const list = [
    statement({
      result: { success: true, score: { scaled: 0.25, max: 1e300 } },
      context: { extensions: { 'e:x': [1] } },
    }),
    statement({ actor: { name: 'é😀', mbox: 'mailto:e@x.example' } }),
    statement(),
  ]
  const file = await fileOf(list, { format: 'parquet', extensions: ['e:x'] })
  const rows = await parquetReadObjects({
    file: file.buffer.slice(file.byteOffset, file.byteOffset + file.length),
  })
  expect(rows).toHaveLength(3)
  expect(rows[0]).toMatchObject({
    stored: new Date('2026-11-22T10:00:01.000Z'),
    success: true,
    completion: null,
    score_scaled: 0.25,
    score_max: 1e300,
    'e:x': '[1]',
    statement: JSON.stringify(list[0]),
  })
  expect(rows[1]).toMatchObject({ learner_name: 'é😀', learner: 'e@x.example', 'e:x': null })
  const empty = await fileOf([], { format: 'parquet' })
  expect(
    await parquetReadObjects({
      file: empty.buffer.slice(empty.byteOffset, empty.byteOffset + empty.length),
    }),
  ).toEqual([])
})
