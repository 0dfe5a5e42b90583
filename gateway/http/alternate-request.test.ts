import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { bestOfThree, processorTime } from '../../test/support/cost.ts'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { asked, credential, failure, learner, result, stage, usual } from '../../test/support/gateway.ts'

const form = 'application/x-www-form-urlencoded'
const statements = '/xapi/statements'
const state = '/xapi/activities/state'
const activity = 'activityId=http%3A%2F%2Fa.example%2F1'
const document = `${activity}&agent=${learner}&stateId=s`
const authority = 'Authorization=Basic+a2V5OnNlY3JldA%3D%3D&X-Experience-API-Version=1.0.3'
const one = encodeURIComponent('{"a":"ä + &=%"}')

interface Case {
  about: string
  target: string
  body?: string
  headers?: Record<string, string>
  status: number
  /** The path that a refusal names. */
  path?: string
  /** What core is asked. */
  call?: { case: string; value?: object }
}

const accepted: Case[] = [
  {
    about: 'GET: fields are the query',
    target: `${statements}?method=GET`,
    body: 'limit=7&ascending=true',
    status: 200,
    call: { case: 'queryStatements', value: { limit: 7, ascending: true } },
  },
  {
    about: 'GET without any field',
    target: `${statements}?method=GET`,
    body: '',
    status: 200,
    call: { case: 'queryStatements', value: { limit: 50 } },
  },
  {
    about: 'PUT: content is the body, in UTF-8',
    target: `${statements}?method=PUT`,
    body: `statementId=s&content=${one}`,
    status: 204,
    call: { case: 'storeStatements', value: { statementId: 's', json: Buffer.from('{"a":"ä + &=%"}') } },
  },
  {
    about: 'POST',
    target: `${statements}?method=POST`,
    body: `content=${one}`,
    status: 200,
    call: { case: 'storeStatements', value: { statementId: '' } },
  },
  {
    about: 'credential and version in the form alone',
    target: `${statements}?method=GET`,
    body: authority,
    headers: { 'Content-Type': form },
    status: 200,
    call: { case: 'queryStatements' },
  },
  {
    about: 'as a browser sends it that cannot name types',
    target: `${statements}?method=GET`,
    body: authority,
    headers: { 'Content-Type': 'text/plain;charset=UTF-8' },
    status: 200,
    call: { case: 'queryStatements' },
  },
  {
    about: 'fields override headers',
    target: `${statements}?method=GET`,
    body: authority,
    headers: { 'Content-Type': form, Authorization: 'nonsense', 'X-Experience-API-Version': '0.9' },
    status: 200,
    call: { case: 'queryStatements' },
  },
  {
    about: 'a document with its type',
    target: `${state}?method=PUT`,
    body: `${document}&Content-Type=text%2Fplain&content=hi`,
    status: 204,
    call: { case: 'putDocument', value: { id: 's', contentType: 'text/plain', content: Buffer.from('hi') } },
  },
  {
    about: 'a document without one is JSON',
    target: `${state}?method=POST`,
    body: `${document}&content=%7B%7D`,
    status: 204,
    call: { case: 'putDocument', value: { contentType: 'application/json', merge: true } },
  },
  {
    about: 'If-Match',
    target: `${state}?method=DELETE`,
    body: `${document}&if-match=%22x%22`,
    status: 204,
    call: { case: 'deleteDocument', value: { precondition: { ifMatch: '"x"' } } },
  },
  {
    about: 'Content-Length says what it wants',
    target: `${state}?method=PUT`,
    body: `${document}&Content-Length=9&content=hi`,
    status: 204,
    call: { case: 'putDocument' },
  },
  {
    about: 'a resource that knows no POST',
    target: '/xapi/agents?method=GET',
    body: `agent=${learner}`,
    status: 200,
    call: { case: 'getPerson' },
  },
]

const refused: Case[] = [
  {
    about: 'another parameter beside method',
    target: `${statements}?method=PUT&statementId=s`,
    body: `content=${one}`,
    status: 400,
    path: 'statementId',
  },
  { about: 'method twice', target: `${statements}?method=GET&method=GET`, body: '', status: 400, path: 'method' },
  { about: 'a method that is none', target: `${statements}?method=get`, body: '', status: 400, path: 'method' },
  { about: 'HEAD', target: `${statements}?method=HEAD`, body: '', status: 400, path: 'method' },
  { about: 'no content', target: `${statements}?method=PUT`, body: 'statementId=s', status: 400, path: 'content' },
  { about: 'no form', target: `${statements}?method=PUT`, status: 400, path: 'statementId' },
  {
    about: 'content where none is taken',
    target: `${statements}?method=GET`,
    body: 'content=x',
    status: 400,
    path: 'content',
  },
  {
    about: 'content twice',
    target: `${statements}?method=POST`,
    body: 'content=x&content=y',
    status: 400,
    path: 'content',
  },
  {
    about: 'a header twice',
    target: `${statements}?method=GET`,
    body: `${authority}&authorization=x`,
    status: 400,
    path: 'authorization',
  },
  {
    about: 'a parameter twice',
    target: `${statements}?method=GET`,
    body: 'limit=1&limit=2',
    status: 400,
    path: 'limit',
  },
  {
    about: 'an unknown field',
    target: `${statements}?method=GET`,
    body: 'Accept-Language=de',
    status: 400,
    path: 'Accept-Language',
  },
  { about: 'a field without name', target: `${statements}?method=GET`, body: '=x', status: 400, path: 'query' },
  {
    about: 'JSON labelled as a form',
    target: `${statements}?method=PUT`,
    body: '{"statementId":"s","content":"{}"}',
    status: 400,
  },
  {
    about: 'JSON labelled as JSON',
    target: `${statements}?method=PUT`,
    body: '{}',
    headers: { ...usual, 'Content-Type': 'application/json' },
    status: 400,
    path: 'Content-Type',
  },
  {
    about: 'a form of files',
    target: `${statements}?method=PUT`,
    body: 'x',
    headers: { ...usual, 'Content-Type': 'multipart/form-data; boundary=x' },
    status: 400,
    path: 'Content-Type',
  },
  {
    about: 'attachments',
    target: `${statements}?method=POST`,
    body: 'Content-Type=multipart%2Fmixed%3B+boundary%3Dx&content=x',
    status: 400,
    path: 'Content-Type',
  },
  {
    about: 'statements of another type',
    target: `${statements}?method=POST`,
    body: 'Content-Type=text%2Fplain&content=x',
    status: 400,
    path: 'Content-Type',
  },
  {
    about: 'broken percent-encoding',
    target: `${statements}?method=POST`,
    body: 'content=%ff',
    status: 400,
    path: 'content',
  },
  {
    about: 'an old version in the form',
    target: `${statements}?method=GET`,
    body: 'X-Experience-API-Version=0.8',
    status: 400,
    path: 'X-Experience-API-Version',
  },
  {
    about: 'version 2.0 in the form',
    target: `${statements}?method=GET`,
    body: 'X-Experience-API-Version=2.0.0',
    status: 400,
    path: 'method',
  },
  {
    about: 'version 2.0 in the header',
    target: `${statements}?method=GET`,
    body: '',
    headers: { ...usual, 'X-Experience-API-Version': '2.0.0', 'Content-Type': form },
    status: 400,
    path: 'method',
  },
  {
    about: 'not a POST',
    target: `${statements}?method=POST`,
    headers: { ...usual, ':method': 'PUT' },
    status: 400,
    path: 'method',
  },
  {
    about: 'no credential',
    target: `${statements}?method=GET`,
    body: '',
    headers: { 'Content-Type': form },
    status: 401,
  },
  { about: 'a wrong method for the resource', target: '/xapi/agents?method=PUT', body: 'content=x', status: 405 },
  {
    about: 'a form of many fields',
    target: `${statements}?method=GET`,
    body: '&'.repeat(3_000_000),
    status: 400,
    path: 'form',
  },
  {
    about: 'content over the limit',
    target: `${state}?method=PUT`,
    body: `${document}&content=${'x'.repeat(524_289)}`,
    status: 413,
  },
  {
    about: 'a header over the limit',
    target: `${statements}?method=GET`,
    body: `authorization=${'%41'.repeat(20_000)}`,
    status: 400,
    path: 'authorization',
  },
  {
    about: 'an inflated form',
    target: `${statements}?method=GET`,
    body: gzipSync('limit=1').toString('latin1'),
    headers: { ...usual, 'Content-Type': form, 'Content-Encoding': 'gzip' },
    status: 415,
    path: 'Content-Encoding',
  },
  {
    about: 'a form over the limit',
    target: `${state}?method=PUT`,
    body: `${document}&content=${'%41'.repeat(2_300_000)}`,
    status: 413,
  },
]

const reply = ({ call }: { call: { case?: string } }) => result({ case: call.case, value: {} } as never)

describe('alternate request syntax', () => {
  const ask = async (
    { target, body, headers = { ...usual, 'Content-Type': form } }: Case,
    dialect: 'games' | 'xapi' = 'xapi',
  ) => {
    const { ask, core } = await stage(reply, { dialect })
    const { ':method': method = 'POST', ...sent }: Record<string, string> = headers
    return { heard: await ask(method, target, { headers: sent, body }), core }
  }

  test.each(accepted)('XAPI-00336, XAPI-00148: $about', async (one) => {
    const { heard, core } = await ask(one)
    expect(heard.status, heard.text).toBe(one.status)
    expect(heard.headers['x-experience-api-version']).toBe('1.0.3')
    expect(core.requests[0]).toMatchObject({
      authorization: credential.Authorization,
      version: '1.0.3',
      call: one.call,
    })
  })

  test.each(refused)('XAPI-00336: $about is $status', async (one) => {
    const { heard, core } = await ask(one)
    expect(heard.status, heard.text).toBe(one.status)
    if (one.path !== undefined) expect(JSON.parse(heard.text).path).toBe(one.path)
    expect(asked(core)).toEqual([])
  })

  test.each(accepted)('is not there in the games dialect: $about', async (one) => {
    const { heard, core } = await ask({ ...one, headers: { ...usual, 'Content-Type': form } }, 'games')
    expect(heard.status).toBe(one.target.startsWith('/xapi/agents') ? 405 : 400)
    expect(core.requests).toEqual([])
  })

  test('two megabytes of statements, every byte encoded', bestOfThree, async () => {
    const content = '%41'.repeat(2 * 1024 * 1024)
    const began = processorTime()
    const { heard, core } = await ask({
      about: '',
      target: `${statements}?method=POST`,
      body: `content=${content}`,
      status: 200,
    })
    expect(heard.status).toBe(200)
    expect(asked(core)[0]!.call.value).toMatchObject({ json: expect.objectContaining({ length: 2 * 1024 * 1024 }) })
    expect(processorTime() - began).toBeLessThan(3000)
  })

  test('strangers fill no more than their share with forms, and none of theirs is decoded', async () => {
    const { port, core, ask } = await stage(
      ({ call }) =>
        call.case === 'identify' ? failure(Reason.UNAUTHENTICATED) : result({ case: call.case, value: {} } as never),
      { dialect: 'xapi' },
    )
    const head = 'POST /xapi/statements?method=POST HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n'
    const sockets = Array.from({ length: 14 }, () => {
      const socket = connect(port, '127.0.0.1')
      let heard = ''
      socket.on('data', (chunk) => (heard += chunk.toString('latin1'))).on('error', () => {})
      socket.write(`${head}Content-Length: 6500000\r\n\r\n`)
      socket.write(Buffer.alloc(6_400_000, 'x'))
      return { socket, heard: () => heard }
    })
    // 64 of 256 MB: ten of these
    await expect.poll(() => sockets.filter(({ heard }) => / 503 /.test(heard())).length).toBeGreaterThanOrEqual(4)
    for (const { socket } of sockets) socket.destroy()
    const headers = { ...usual, 'Content-Type': form }
    // broken in the middle, which only decoding finds
    const body = `content=${'%41'.repeat(30_000)}%ff`
    await expect.poll(async () => (await ask('POST', `${statements}?method=POST`, { headers, body })).status).toBe(401)
    expect(asked(core)).toEqual([])
  })
})
