import type { Preparation } from '../../../core/records/xapi/prepare.ts'

const authority = '"authority":{"mbox":"mailto:key@lrs"}'
const id = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'
const actor = '{"account":{"homePage":"https://lrs","name":"p"}}'
const rest = '"verb":{"id":"v:v"},"object":{"id":"o:o"}'
const from = '"actor":{"mbox":"mailto:a@b.c"}'
const full = `"timestamp":"2026-01-01T00:00:00Z","version":"1.0.1"`

/** Statements as they come and as they are stored. */
export const cases: ({ name: string; text: string; body: string } & Partial<Preparation>)[] = [
  {
    name: 'a full statement only gets its authority',
    text: `{"id":"${id}",${from},${rest},${full}}`,
    body: `{"id":"${id}",${from},${rest},${full},${authority}}`,
  },
  {
    name: 'white space stays',
    text: ` \n{ "id" : "${id}" ,\t${from},${rest},${full}\r\n}\n`,
    body: `{ "id" : "${id}" ,\t${from},${rest},${full},${authority}\r\n}`,
  },
  {
    name: 'what is missing is added at the end',
    text: `{"id":"${id}",${from},${rest}}`,
    body: `{"id":"${id}",${from},${rest},"timestamp":"2026-11-21T10:00:00.000001Z","version":"1.0.0",${authority}}`,
  },
  {
    name: 'authority and stored of the client are dropped at the start',
    text: `{"authority":{"mbox":"mailto:x@y.z"}, "stored":"2026-01-01T00:00:00Z" ,"id":"${id}",${from},${rest},${full}}`,
    body: `{"id":"${id}",${from},${rest},${full},${authority}}`,
  },
  {
    name: 'authority and stored of the client are dropped at the end',
    text: `{"id":"${id}",${from},${rest},${full},"stored":"2026-01-01T00:00:00Z","\\u0061uthority":{"mbox":"mailto:x@y.z"} }`,
    body: `{"id":"${id}",${from},${rest},${full},${authority} }`,
  },
  {
    name: 'an id in upper case becomes lower-case',
    text: `{"id":"${id.toUpperCase()}",${from},${rest},${full}}`,
    body: `{"id":"${id}",${from},${rest},${full},${authority}}`,
  },
  {
    name: 'the id of PUT replaces any other',
    text: `{"id":"nonsense",${from},${rest},${full}}`,
    body: `{"id":"${id}",${from},${rest},${full},${authority}}`,
    statementId: id.toUpperCase(),
  },
  {
    name: 'the id of PUT is added',
    text: `{${from},${rest},${full}}`,
    body: `{${from},${rest},${full},"id":"${id}",${authority}}`,
    statementId: id,
  },
  {
    name: 'the launch token’s actor replaces any other',
    text: `{"actor" : {"__proto__":null}, "id":"${id}",${rest},${full}}`,
    body: `{"actor" : ${actor}, "id":"${id}",${rest},${full},${authority}}`,
    actor,
  },
  {
    name: 'the launch token’s actor is added',
    text: `{"id":"${id}",${rest},${full}}`,
    body: `{"id":"${id}",${rest},${full},"actor":${actor},${authority}}`,
    actor,
  },
  {
    name: 'single context activities become arrays',
    text: `{"id":"${id}",${from},${rest},${full},"context":{"contextActivities":{"parent": {"id":"p:p"} ,"other":[{"id":"q:q"}]}}}`,
    body: `{"id":"${id}",${from},${rest},${full},"context":{"contextActivities":{"parent": [{"id":"p:p"}] ,"other":[{"id":"q:q"}]}},${authority}}`,
  },
  {
    name: 'numbers, escapes and hostile keys stay as they are',
    text: `{"id":"${id}",${from},${rest},${full},"result":{"response":"\\u0000\\ud800\u2028","extensions":{"x:y":{"__proto__":[1e400,-0,1.0,9223372036854775808],"constructor":{}}}}}`,
    body: `{"id":"${id}",${from},${rest},${full},"result":{"response":"\\u0000\\ud800\u2028","extensions":{"x:y":{"__proto__":[1e400,-0,1.0,9223372036854775808],"constructor":{}}}},${authority}}`,
  },
]
