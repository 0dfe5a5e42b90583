import { describe, expect, test } from 'vitest'
import { repairer } from './repair.ts'

const home = 'https://school.example'
const repair = (text: string) => {
  const { statement, repairs } = repairer({ homePage: home, extensionPrefix: 'https://x.example/e/' })(
    Buffer.from(text),
  )
  return { text: Buffer.from(statement).toString(), repairs }
}
const account = (name: string) => `"account":{"homePage":"${home}","name":${name}}`
const inContext = (json: string) => `{"context":{${json}}}`

describe('repaired, with every other byte as it was', () => {
  test.each<[kind: string, path: string, given: string, repaired: string]>([
    ['actor', 'actor', '{"actor": { "name":"Ann"}}', `{"actor": {${account('"Ann"')}, "name":"Ann"}}`],
    [
      'actor',
      'actor',
      '{"actor":{"objectType":"Group","name":"A\\u00e9"}}',
      `{"actor":{${account('"A\\u00e9"')},"objectType":"Group","name":"A\\u00e9"}}`,
    ],
    [
      'actor',
      'actor.member[1]',
      '{"actor":{"objectType":"Group","name":"T","member":[{"mbox":"mailto:a@x.example"},{"name":"B"}]}}',
      `{"actor":{"objectType":"Group","name":"T","member":[{"mbox":"mailto:a@x.example"},{${account('"B"')},"name":"B"}]}}`,
    ],
    ['actor', 'authority', '{"authority":{"name":"R"}}', `{"authority":{${account('"R"')},"name":"R"}}`],
    [
      'actor',
      'object',
      '{"object":{"objectType":"Agent","name":"B"}}',
      `{"object":{${account('"B"')},"objectType":"Agent","name":"B"}}`,
    ],
    [
      'actor',
      'context.instructor',
      inContext('"instructor":{"name":"I"}'),
      inContext(`"instructor":{${account('"I"')},"name":"I"}`),
    ],
    [
      'actor',
      'context.contextAgents[0].agent',
      inContext('"contextAgents":[{"agent":{"name":"I"}}]'),
      inContext(`"contextAgents":[{"agent":{${account('"I"')},"name":"I"}}]`),
    ],
    [
      'extension',
      'result.extensions["progress"]',
      '{"result":{"extensions":{"progress":0.50,"e:x":"False"}}}',
      '{"result":{"extensions":{"https://x.example/e/progress":0.50,"e:x":"False"}}}',
    ],
    [
      'extension',
      'context.extensions["Día 1: 100%"]',
      inContext('"extensions":{"Día 1: 100%":1}'),
      inContext('"extensions":{"https://x.example/e/Día%201%3A%20100%25":1}'),
    ],
    [
      'extension',
      'object.definition.extensions["a"]',
      '{"object":{"definition":{"extensions":{"a":1}}}}',
      '{"object":{"definition":{"extensions":{"https://x.example/e/a":1}}}}',
    ],
    ['iri', 'verb.id', '{"verb":{"id":"won"}}', `{"verb":{"id":"${home}/verbs/won"}}`],
    ['iri', 'object.id', '{"object":{"id":"Level 1/a"}}', `{"object":{"id":"${home}/activities/Level%201/a"}}`],
    [
      'iri',
      'object.definition.type',
      '{"object":{"definition":{"type":"level"}}}',
      `{"object":{"definition":{"type":"${home}/activity-types/level"}}}`,
    ],
    [
      'iri',
      'context.contextActivities.parent.id',
      inContext('"contextActivities":{"parent":{"id":"game"}}'),
      inContext(`"contextActivities":{"parent":{"id":"${home}/activities/game"}}`),
    ],
    [
      'iri',
      'context.contextActivities.other[0].id',
      inContext('"contextActivities":{"other":[{"id":"game"}]}'),
      inContext(`"contextActivities":{"other":[{"id":"${home}/activities/game"}]}`),
    ],
    [
      'iri',
      'object.object.id',
      '{"object":{"objectType":"SubStatement","object":{"id":"a"}}}',
      `{"object":{"objectType":"SubStatement","object":{"id":"${home}/activities/a"}}}`,
    ],
    ['boolean', 'result.success', '{"result":{"success":"False"}}', '{"result":{"success":false}}'],
    ['boolean', 'result.completion', '{"result":{"completion":"TRUE"}}', '{"result":{"completion":true}}'],
    ['number', 'result.score.raw', '{"result":{"score":{"raw":"17.50"}}}', '{"result":{"score":{"raw":17.50}}}'],
    [
      'number',
      'result.score.scaled',
      '{"result":{"score":{"scaled":"-1e-1"}}}',
      '{"result":{"score":{"scaled":-1e-1}}}',
    ],
    ['timestamp', 'timestamp', '{"timestamp":"2016-03-01T10:00:00"}', '{"timestamp":"2016-03-01T10:00:00Z"}'],
    ['timestamp', 'timestamp', '{"timestamp":"2016-03-01 10:00:00.5"}', '{"timestamp":"2016-03-01T10:00:00.5Z"}'],
    ['timestamp', 'timestamp', '{"timestamp":"2016-03-01"}', '{"timestamp":"2016-03-01T00:00:00Z"}'],
    ['timestamp', 'timestamp', '{"timestamp":"2016-03-01 10:00:00+0200"}', '{"timestamp":"2016-03-01T10:00:00+02:00"}'],
    ['timestamp', 'stored', '{"stored":"2016-03-01 10:00:00"}', '{"stored":"2016-03-01T10:00:00Z"}'],
  ])('%s at %s: %s', (kind, path, given, repaired) => {
    const done = repair(given)
    expect(done.text).toBe(repaired)
    expect(done.repairs).toEqual([expect.objectContaining({ kind, path })])
    expect(repair(repaired)).toEqual({ text: repaired, repairs: [] })
  })
})

test.each([
  // not clear what it means
  '{"actor":{"name":""}}',
  '{"actor":{"name":"Ann","account":{"name":"ann"}}}',
  '{"actor":{"name":"Ann","mbox":null}}',
  '{"actor":{"objectType":"Group","name":"T","member":[]}}',
  '{"actor":"Ann"}',
  '{"object":{"id":"www.example.org/a"}}',
  '{"object":{"id":""}}',
  '{"object":{"id":"\\ud800"}}',
  '{"verb":{"id":"verb: won"}}',
  '{"result":{"success":"yes","completion":1}}',
  '{"result":{"score":{"raw":"1,5","min":"007","max":" 9"}}}',
  '{"result":{"score":50}}',
  '{"result":{"extensions":{"progress":0.1,"https://x.example/e/progress":0.2}}}',
  '{"timestamp":"01/03/2016 10:00"}',
  '{"timestamp":1456826400}',
  // right, or of no known form
  '{"object":{"objectType":"StatementRef","id":"1"}}',
  '{"object":{"objectType":{},"id":"a"},"timestamp":"2016-03-01T10:00:00+02:00"}',
  '{"actor":[],"verb":null,"object":[],"result":"","context":1}',
  '{"result":{"success":"False"}',
  '[]',
])('left as it is: %s', (text) => expect(repair(text)).toEqual({ text, repairs: [] }))

test('a deep statement costs no stack', () => {
  const deep = (open: string, close: string) => `${open.repeat(50_000)}${close.repeat(50_000)}`
  for (const text of [
    `{"actor":${deep('{"member":[', ']}')}}`,
    `{"object":${deep('{"objectType":"SubStatement","object":', '}').replace(':}', ':{}}')}}`,
  ])
    expect(repair(text).repairs).toEqual([])
})
