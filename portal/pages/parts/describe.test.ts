import { expect, test } from 'vitest'
import { describe, languagesIn, sentence } from './describe.ts'

const adl = (name: string) => ({ id: `http://adlnet.gov/expapi/verbs/${name}` })
const level = { id: 'https://games.example/levels/3', definition: { name: { 'en-US': 'Level 3', de: 'Stufe 3' } } }
const ana = { name: 'Ana', account: { homePage: 'https://lrs.example/learners', name: '9b0e' } }
const base = { actor: { account: ana.account }, verb: adl('completed'), object: level }
const result = (over: object) => ({ ...base, result: over })

const cases: [string, object, string?][] = [
  ['A learner completed Level 3', base],
  ['Ana completed Level 3, 80 %', { ...base, actor: ana, result: { score: { scaled: 0.8 } } }],
  [
    'A learner completed Level 3, 82.5 %, successfully, in 2 min 5 s',
    result({ score: { scaled: 0.825, raw: 33 }, success: true, duration: 'PT2M5.2S' }),
  ],
  [
    'A learner completed Level 3, 7 of 10 points, without success',
    result({ score: { raw: 7, max: 10 }, success: false }),
  ],
  ['A learner completed Level 3, 1 point, not to the end', result({ score: { raw: 1 }, completion: false })],
  ['A learner completed Level 3, 12 points', result({ score: { raw: 12.04 } })],
  ['A learner completed Level 3, in 1 d 1 h', result({ duration: 'P1DT1H' })],
  ['A learner completed Level 3, in 0.4 s', result({ duration: 'PT0.42S' })],
  ['A learner completed Level 3, in P1Y2M', result({ duration: 'P1Y2M' })],
  ['A learner completed Level 3', result({ duration: 'soon' })],
  [
    'A learner progressed Level 3, 33 % done',
    {
      ...result({ extensions: { 'https://w3id.org/xapi/seriousgames/extensions/progress': 0.33 } }),
      verb: adl('progressed'),
    },
  ],
  [
    'A learner progressed Level 3, 33 % done',
    {
      ...result({ extensions: { 'https://w3id.org/xapi/cmi5/result/extensions/progress': 33 } }),
      verb: adl('progressed'),
    },
  ],
  [
    'A learner completed Level 3',
    result({ extensions: { 'https://w3id.org/xapi/seriousgames/extensions/progress': 33 } }),
  ],
  ['A learner passed Level 3', { ...result({ success: true }), verb: adl('passed') }],
  ['A learner failed Level 3, successfully', { ...result({ success: true }), verb: adl('failed') }],
  ['A learner answered Level 3, answer “Paris”', { ...result({ response: 'Paris' }), verb: adl('answered') }],
  [
    'A learner answered Q, answer “The Moon, The Sun, x”',
    {
      ...result({ response: 'a[,]b[,]x' }),
      verb: adl('answered'),
      object: {
        id: 'u:q',
        definition: {
          name: { en: 'Q' },
          choices: [
            { id: 'a', description: { en: 'The Moon' } },
            { id: 'b', description: { en: 'The Sun' } },
          ],
        },
      },
    },
  ],
  [
    'A learner hat Stufe 3 abgeschlossen Stufe 3',
    { ...base, verb: { ...adl('x'), display: { de: 'hat Stufe 3 abgeschlossen', en: 'completed' } } },
    'de-AT,en;q=0.5',
  ],
  ['A learner completed Stufe 3', { ...base, verb: { ...adl('x'), display: { fr: 'a fini', en: 'completed' } } }, 'de'],
  [
    'A learner watched the end Level 3',
    { ...base, verb: { id: 'https://v.example/watched-the_end', display: { fr: 'a vu' } } },
    'de;q=0',
  ],
  ['A learner completed Étape 1', { ...base, object: { id: 'https://games.example/%C3%89tape-1' } }],
  ['A learner completed 50%', { ...base, object: { id: 'https://games.example/50%' } }],
  ['A learner completed 関卡', { ...base, object: { id: 'urn:x', definition: { name: { zh: '関卡' } } } }],
  ['Ana and Ben completed Level 3', { ...base, actor: { objectType: 'Group', member: [ana, { name: 'Ben' }] } }],
  ['Ana and 2 others completed Level 3', { ...base, actor: { objectType: 'Group', member: [{}, ana, {}] } }],
  ['A group of 2 completed Level 3', { ...base, actor: { objectType: 'Group', member: [{}, {}] } }],
  ['The Reds completed Level 3', { ...base, actor: { objectType: 'Group', name: 'The Reds', member: [ana] } }],
  [
    'A learner helped Ana',
    { ...base, verb: { id: 'https://v.example/helped' }, object: { objectType: 'Agent', ...ana } },
  ],
  [
    'A learner helped a person',
    {
      ...base,
      verb: { id: 'https://v.example/helped' },
      object: { objectType: 'Agent', mbox: 'mailto:ben@example.org' },
    },
  ],
  [
    'A learner voided the statement 8f2c11aa…',
    {
      ...base,
      verb: adl('voided'),
      object: { objectType: 'StatementRef', id: '8f2c11aa-0000-4000-8000-000000000000' },
    },
  ],
  [
    'A learner planned “Ana completed Level 3, 80 %”',
    {
      ...base,
      verb: { id: 'https://v.example/planned' },
      object: { objectType: 'SubStatement', ...base, actor: ana, result: { score: { scaled: 0.8 } } },
    },
  ],
  [
    'A learner planned “A learner completed an activity”',
    {
      ...base,
      verb: { id: 'https://v.example/planned' },
      object: { objectType: 'SubStatement', ...base, object: { objectType: 'SubStatement', ...base } },
    },
  ],
  // hostile, and what no rule lets in
  ['<b>&" x completed Level 3', { ...base, actor: { name: '\u202e<b>&"\u0000\n x\u200b' } }],
  ['A learner completed Level 3', { ...base, actor: { name: ' \u200b\n' } }],
  [`${'🙂'.repeat(120)}… completed Level 3`, { ...base, actor: { name: '🙂'.repeat(300) } }],
  ['A learner did something with an activity', { verb: { display: 7 }, object: { definition: 3 }, result: 'x' }],
  ['A learner did something with an activity', []],
  [
    'A learner completed x',
    JSON.parse('{"verb":{"id":"completed"},"object":{"id":"u:y","definition":{"name":{"__proto__":"x"}}}}'),
  ],
]
test.each(cases)('%s', (expected, statement, languages = '') => {
  expect(sentence(describe(statement, languagesIn(languages)))).toBe(expected)
})

test.each([
  ['A learner completed Star Trail', 'https://lrs.example/games/53b1e480', 'Star Trail'],
  ['A learner completed 53b1e480', 'https://lrs.example/games/53b1e480', ' '],
  ['A learner completed 1', 'https://lrs.example/games/53b1e480/levels/1', 'Star Trail'],
])('the game itself has its name, if the statement gives none: %s', (expected, id, name) => {
  const statement = { ...base, object: { id } }
  expect(sentence(describe(statement, [], { gameId: '53b1e480', name }))).toBe(expected)
  expect(describe({ ...base, object: { ...level, id } }, [], { gameId: '53b1e480', name }).what).toBe('Level 3')
})

test('languages come in the order of their weights; odd headers do no harm', () => {
  expect(languagesIn('fr;q=0.3, de-AT, *;q=0.1, en;q=0.8, it;q=0, <b>')).toEqual(['de-at', 'en', 'fr'])
  expect(languagesIn('')).toEqual([])
  expect(languagesIn('a,'.repeat(100_000)).length).toBeLessThan(300)
})
