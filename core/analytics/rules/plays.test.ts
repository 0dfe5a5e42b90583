import { expect, test } from 'vitest'
import type { Statement } from '../../records/xapi/types.ts'
import { kinds, playOf } from './plays.ts'

const own = 'https://w3id.org/xapi/seriousgames'
const statement = (verb: string, over: object = {}): Statement => ({
  actor: { mbox: 'mailto:ann@example.com' },
  verb: { id: verb },
  object: { id: 'https://g.example/things/1' },
  ...over,
})
const progress = (value: unknown, iri = `${own}/extensions/progress`) =>
  statement('http://adlnet.gov/expapi/verbs/progressed', { result: { extensions: { [iri]: value } } })
const thing = (type: string) => ({ object: { id: 'https://g.example/things/1', definition: { type } } })

const counted: [string, Statement, object | undefined][] = [
  ['progress', progress(0.5), { kind: kinds.progressed, progress: 0.5 }],
  [
    'progress under the IRI before the profile',
    progress(1, 'https://rage.e-ucm.es/xapi/ext/progress'),
    { progress: 1 },
  ],
  ['progress as text', progress('0.5'), undefined],
  ['progress above 1', progress(1.01), undefined],
  ['progress below 0', progress(-0.01), undefined],
  ['progressed without progress', statement('http://adlnet.gov/expapi/verbs/progressed'), undefined],
  ['accessed', statement(`${own}/verbs/accessed`, thing(`${own}/activity-types/screen`)), { kind: 2 }],
  ['accessed, by an old tracker', statement('http://activitystrea.ms/schema/1.0/accessed'), { kind: 2 }],
  ['skipped', statement('http://id.tincanapi.com/verb/skipped', thing('https://t.example/x')), { kind: 3 }],
  ['interacted', statement('http://adlnet.gov/expapi/verbs/interacted'), { kind: kinds.interacted }],
  ['used', statement(`${own}/verbs/used`), { kind: kinds.used }],
  ['a start', statement('https://w3id.org/xapi/adb/verbs/initialized'), undefined],
  ['a key', statement(`${own}/verbs/pressed`), undefined],
  ['another verb', statement('https://games.example.org/verbs/played'), undefined],
]
test.each(counted)('%s', (_name, given, expected) => {
  if (expected) expect(playOf(given)).toMatchObject(expected)
  else expect(playOf(given)).toBeUndefined()
})

const answer = (result: object, definition: object = {}, verb = 'http://adlnet.gov/expapi/verbs/answered') =>
  playOf(statement(verb, { object: { id: 'https://g.example/q', definition }, result }))!.choice
const cities = {
  interactionType: 'choice',
  correctResponsesPattern: ['par[,]rom'],
  choices: [
    { id: 'par', description: { 'en-GB': 'Paris', de: 'Paris (D)' } },
    { id: 'rom', description: { en: 'Rome' } },
    { id: 'ber' },
  ],
}
const answers: [string, ReturnType<typeof answer>, object][] = [
  ['a response', answer({ response: 'x' }), { response: 'x', name: '', given: true, right: undefined }],
  ['no response', answer({ success: true }), { response: undefined, given: false, right: true }],
  ['an empty response is none', answer({ response: '' }), { response: undefined, given: false }],
  ['success', answer({ response: 'x', success: false }), { right: false }],
  ['choices in any order', answer({ response: 'rom[,]par' }, cities), { right: true, name: 'Rome, Paris' }],
  ['one of two choices', answer({ response: 'par' }, cities), { right: false, name: 'Paris' }],
  ['a choice without description', answer({ response: 'ber' }, cities), { right: false, name: '' }],
  ['success says more than the pattern', answer({ response: 'ber', success: true }, cities), { right: true }],
  [
    'true',
    answer({ response: 'true' }, { interactionType: 'true-false', correctResponsesPattern: ['true'] }),
    { right: true },
  ],
  [
    'false',
    answer({ response: 'false' }, { interactionType: 'true-false', correctResponsesPattern: ['true'] }),
    { right: false },
  ],
  [
    'a number',
    answer({ response: '5' }, { interactionType: 'numeric', correctResponsesPattern: ['4[:]6'] }),
    { right: undefined },
  ],
  [
    'an essay',
    answer({ response: 'I am Ann …' }, { interactionType: 'long-fill-in' }),
    { response: undefined, given: true },
  ],
  ['a long response', answer({ response: 'x'.repeat(300) }), { response: 'x'.repeat(200) }],
  ['a response that Postgres does not take', answer({ response: 'a\0b' }), { response: 'a\ufffdb' }],
  ['selected', answer({ response: 'x', success: true }, {}, 'http://id.tincanapi.com/verb/selected'), { right: true }],
  [
    'unlocked is neither right nor wrong',
    answer({ response: 'x', success: true }, {}, `${own}/verbs/unlocked`),
    { right: undefined },
  ],
]
test.each(answers)('%s', (_name, given, expected) => expect(given).toMatchObject(expected))

test('a long response and many right ones take no time', () => {
  const response = Array.from({ length: 60_000 }, (_, n) => `a${n}`).join('[,]')
  const definition = {
    interactionType: 'choice',
    correctResponsesPattern: Array<string>(200_000).fill('b'),
    choices: [],
  }
  const began = performance.now()
  const play = playOf(
    statement('http://adlnet.gov/expapi/verbs/answered', {
      object: { id: 'https://g.example/things/1', definition },
      result: { response },
    }),
  )
  expect(play).toMatchObject({ kind: kinds.chosen, choice: { right: false } })
  expect(performance.now() - began).toBeLessThan(5_000)
})
