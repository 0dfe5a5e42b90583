import { ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf'
import type { Random } from '../torture/random.ts'
import { activity, player, statement, type Json } from '../support/statements.ts'

/** An id that is drawn again and again. */
export const oddId = '11111111-0000-4000-8000-000000000000'

const odd: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  1.5,
  '',
  ' ',
  'x',
  '\u0000',
  '\ud800',
  '\u202e',
  '__proto__',
  'a'.repeat(5_000),
  [],
  [[]],
  {},
  { a: null },
  [null],
  'mailto:',
  'mailto:a@b',
  'http://',
  'https://games.example.org/%zz',
  'urn:x',
  '2026-02-30T00:00:00Z',
  '2026-11-21T12:00:00.000Z',
  'P1D',
  'PT-1S',
  'en',
  'x-klingon',
  { __proto__: null, constructor: 1 },
  { en: 1 },
  { objectType: 'Group' },
  { objectType: 'StatementRef', id: oddId },
  oddId,
]

/** What stands in for a text: in parameters, headers and fields. */
export const texts = (draw: Random): string => {
  const value = draw.of(odd)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export const headerText = (draw: Random): string =>
  texts(draw)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .trim()

const rich = () =>
  statement({
    actor: { ...player('ann'), name: 'Ann' },
    object: {
      ...activity('chess'),
      objectType: 'Activity',
      definition: {
        name: { en: 'Chess' },
        type: 'https://games.example.org/types/game',
        interactionType: 'choice',
        correctResponsesPattern: ['a'],
        choices: [{ id: 'a', description: { en: 'A' } }],
      },
    },
    result: {
      score: { scaled: 0.5, raw: 5, min: 0, max: 10 },
      success: true,
      completion: true,
      response: 'e4',
      duration: 'PT1M',
      extensions: { 'https://games.example.org/x': { deep: [1, '2'] } },
    },
    context: {
      registration: crypto.randomUUID(),
      contextActivities: { parent: [activity('club')] },
      language: 'en',
      platform: 'web',
      team: { objectType: 'Group', mbox: 'mailto:team@example.org' },
    },
    timestamp: '2026-11-21T12:00:00.000Z',
  })

/** A statement with up to two things wrong with it, or none. */
export function someStatement(draw: Random, most = 2): Json {
  const one = rich()
  for (let times = draw.between(-5, most); times > 0; times--) mutate(draw, one)
  return one
}

function mutate(draw: Random, root: Json): void {
  let at = root
  for (;;) {
    const keys = Object.keys(at)
    const key = keys.length > 0 ? draw.of(keys) : 'x'
    const next = at[key]
    if (typeof next === 'object' && next !== null && draw.next() < 0.7) {
      at = next
      continue
    }
    const how = draw.between(0, 3)
    if (how === 0) delete at[key]
    else if (how === 1)
      at[draw.of(['x', 'objectType', 'id', 'mbox', 'account', 'member', 'definition', '__proto__', 'extensions'])] =
        structuredClone(draw.of(odd))
    else at[key] = structuredClone(draw.of(odd))
    return
  }
}

/** JSON as text, now and then with bytes that are wrong. */
export function bytesOf(draw: Random, value: Json): Buffer {
  return brokenNow(draw, Buffer.from(JSON.stringify(value) ?? ''))
}

/** The bytes, now and then cut or with one of them changed. */
export function brokenNow(draw: Random, bytes: Buffer, chance = 0.15): Buffer {
  if (bytes.length === 0 || draw.next() >= chance) return bytes
  const at = draw.between(0, bytes.length - 1)
  if (draw.next() < 0.5) return bytes.subarray(0, at)
  const broken = Buffer.from(bytes)
  broken[at] = draw.between(0, 255)
  return broken
}

/** Texts that mean something: some by the names of the fields and places where they do. */
export interface Known {
  readonly named: Readonly<Record<string, string>>
  readonly texts: readonly string[]
}

/** What fits to the name, another text that means something, or none that does. */
export function someText(draw: Random, name: string, { named, texts: list }: Known): string {
  const which = draw.next()
  if (which < 0.5 && Object.hasOwn(named, name)) return named[name]!
  return which < 0.75 ? draw.of(list) : texts(draw).replaceAll('\ud800', '')
}

/** A message of this kind as JSON of Protobuf, whose fields are drawn. */
export function someMessage(draw: Random, message: DescMessage, known: Known, depth = 0): Json {
  const json: Json = {}
  for (const field of message.fields) {
    if (draw.next() < 0.3 || (field.oneof && draw.next() < 0.5) || depth > 3) continue
    const value = () => someField(draw, field, known, depth)
    if (field.fieldKind === 'list') json[field.jsonName] = Array.from({ length: draw.between(0, 3) }, value)
    else if (field.fieldKind === 'map') json[field.jsonName] = { [texts(draw).replaceAll('\ud800', '')]: value() }
    else json[field.jsonName] = value()
  }
  return json
}

function someField(draw: Random, field: DescField, known: Known, depth: number): Json {
  if (field.message) return someMessage(draw, field.message, known, depth + 1)
  if (field.enum) return draw.of([0, 1, 2, 99, ...field.enum.values.map(({ name }) => name)])
  switch (field.scalar) {
    case ScalarType.BOOL:
      return draw.next() < 0.5
    case ScalarType.BYTES:
      return bytesOf(draw, draw.next() < 0.5 ? someStatement(draw) : draw.of(odd)).toString('base64')
    case ScalarType.STRING:
      return someText(draw, field.jsonName, known)
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return draw.of([0, -1, 1e308, 'NaN', 'Infinity'])
    default:
      return draw.of([0, 1, 2, 100, 2_147_483_647, -1])
  }
}
