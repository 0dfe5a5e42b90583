import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ExportFormat,
  ExportState,
  Pseudonyms,
  type ExportSchema,
  type ExportStatementsRequest,
  type StartExportRequest,
} from '../../../gen/lrs/v1/exports_pb.js'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { failure, game, portalConfig, session, stubCore, summary } from '../../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../../app.ts'

const id = summary().gameId
const asked: ExportStatementsRequest[] = []
/** Pieces of the file that core sends; 'break' fails, 'wait' waits until the caller has left. */
let pieces: string[] = []
let sent = 0
let more = false
const started: StartExportRequest[] = []
const cancelled: string[] = []
let file: MessageInitShape<typeof ExportSchema> = {}
let found: object[] = []
let left = Promise.withResolvers<void>()

const core = stubCore({
  games: { getGame: () => ({ game: game() }) },
  insights: { getInsights: () => ({}) },
  statements: { queryStatements: () => ({ json: found.map((one) => Buffer.from(JSON.stringify(one))) }) },
  exports: {
    countExport: () => ({ statements: 1n, more }),
    startExport: (request) => (started.push(request), { export: file }),
    listExports: () => ({ exports: [file] }),
    getExport: () => ({ export: file }),
    cancelExport: ({ exportId }) => (cancelled.push(exportId), {}),
    async *exportStatements(request, { signal }) {
      asked.push(request)
      signal.addEventListener('abort', () => left.resolve())
      for (const piece of pieces) {
        if (piece === 'break') throw failure(Reason.INVALID, 'verb: must be an IRI', { path: 'verb' })
        if (piece === 'wait') await once(signal, 'abort')
        sent += piece.length
        yield { data: Buffer.from(piece), statements: 1n, through: 1n }
      }
    },
  },
})
let portal: RunningPortal
beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())

const headers = { cookie: `session=${session}`, 'accept-language': 'de' }
const at = (query: string) => `http://127.0.0.1:${portal.port}/games/${id}/statements/take?${query}`
const get = (query: string) => fetch(at(query), { headers, redirect: 'manual' })

test('a file has the name of the game and the day, and what the filters of the page show', async () => {
  pieces = ['a,b\r\n', '1,2\r\n']
  const response = await get(
    'as=csv&verb=completed&agent=ada@example.org&since=2026-11-01&until=2026-11-02&from=sandbox&learners=game&bare=yes&columns=e:a%20e:b',
  )
  expect(response.status).toBe(200)
  expect(await response.text()).toBe('a,b\r\n1,2\r\n')
  const day = new Date().toISOString().slice(0, 10)
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename=bridges-rivers-sandbox-pseudonyms-statements-${day}.csv`,
  )
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(asked.at(-1)).toMatchObject({
    gameId: id,
    sandbox: true,
    filters: {
      agent: '{"mbox":"mailto:ada@example.org"}',
      verb: 'http://adlnet.gov/expapi/verbs/completed',
      since: '2026-11-01T00:00:00Z',
      until: '2026-11-02T23:59:59.999999Z',
    },
    form: {
      format: ExportFormat.CSV,
      acceptLanguage: 'de',
      extensions: ['e:a', 'e:b'],
      byteOrderMark: true,
      pseudonyms: Pseudonyms.OF_GAME,
      bare: true,
    },
  })
})

test('a refusal before the first byte is a page; one after it breaks the file', async () => {
  pieces = ['break']
  const refused = await get('as=ndjson')
  expect(refused.status).toBe(400)
  expect(refused.headers.get('content-disposition')).toBeNull()
  pieces = ['{}\n', 'break']
  await expect(get('as=ndjson').then((broken) => broken.text())).rejects.toThrow()
  expect((await get('as=exe')).status).toBe(400)
  expect((await get('as=csv&learners=all')).status).toBe(400)
})

test('a browser that leaves ends the file; one that does not read holds up core', async () => {
  left = Promise.withResolvers()
  pieces = Array.from({ length: 200 }, () => 'x'.repeat(500_000))
  sent = 0
  const request = httpRequest(at('as=ndjson'), { headers })
  request.end()
  const [response] = await once(request, 'response')
  response.pause()
  let before = -1
  await expect.poll(() => [sent > 0, before === (before = sent)], { interval: 100 }).toEqual([true, true])
  expect(sent).toBeLessThan(90_000_000)
  response.destroy()
  await left.promise
})

test('the page of statements offers the file of its filters, and nothing where there is nothing', async () => {
  const page = async () =>
    (
      await fetch(`http://127.0.0.1:${portal.port}/games/${id}/statements?from=sandbox&verb=completed&order=oldest`, {
        headers,
      })
    ).text()
  found = []
  expect(await page()).not.toContain('Export these statements')
  found = [
    {
      id,
      actor: {},
      verb: { id: 'e:v' },
      object: { id: 'e:a' },
      stored: '2026-11-20T12:00:00.123456Z',
      timestamp: '2026-11-20T12:00:00Z',
    },
  ]
  const [, form = ''] = /<form method="get" action="[^"]*\/take">(.*?)<\/form>/s.exec(await page())!
  expect(form).toContain('<input type="hidden" name="from" value="sandbox">')
  expect(form).toContain('<input type="hidden" name="verb" value="completed">')
  expect(form).not.toContain('name="order"')
})

test('a file with too many statements is offered as one that is made in the background', async () => {
  more = true
  const response = await get('as=json&verb=completed&learners=export&bare=yes')
  more = false
  const body = await response.text()
  expect(response.headers.get('content-disposition')).toBeNull()
  expect(body).toContain('More than 100,000 statements')
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(body)!
  const fields = Array.from(
    body.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g),
    ([, name, value]) => [name!, value!] as [string, string],
  )
  file = {
    exportId: id,
    gameId: id,
    state: ExportState.RUNNING,
    statements: 12_345n,
    created: 1_795_176_000n,
    form: {},
  }
  const path = `http://127.0.0.1:${portal.port}/games/${id}/statements/files`
  const posted = await fetch(path, {
    method: 'POST',
    headers: { ...headers, origin: `http://127.0.0.1:${portal.port}`, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams([...fields.filter(([name]) => name !== 'csrf'), ['csrf', csrf]]),
    redirect: 'manual',
  })
  expect([posted.status, posted.headers.get('location')]).toEqual([303, `/games/${id}/statements/files`])
  expect(started.at(-1)).toMatchObject({
    gameId: id,
    filters: { verb: 'http://adlnet.gov/expapi/verbs/completed' },
    form: { format: ExportFormat.JSON, pseudonyms: Pseudonyms.OF_EXPORT, bare: true },
  })
  const list = await fetch(path, { headers })
  expect(list.headers.get('refresh')).toBe('5')
  expect(await list.text()).toContain('Being made: 12,345 statements')
})
