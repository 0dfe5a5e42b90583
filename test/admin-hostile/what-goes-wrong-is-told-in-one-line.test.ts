import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { launch } from '../../start/fixtures/launch.ts'
import { done, failed } from '../support/admin.ts'
import { statement, statements } from '../support/statements.ts'
import { startAdminSystem, type AdminSystem, type OwnOfTest } from '../support/admin-system.ts'
import { escapes } from './escapes.ts'

let { connected, admin, next, close } = {} as AdminSystem
let { game, folder } = {} as OwnOfTest
beforeAll(async () => {
  ;({ connected, admin, next, close } = await startAdminSystem({ gateways: 0 }))
})
afterAll(() => close())
beforeEach(async () => {
  ;({ game, folder } = await next())
})

test.each<[string, (response: ServerResponse) => void]>([
  ['text', (response) => void response.end('hello')],
  ['a redirect', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  [
    'what is no message',
    (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"games": 5}'),
  ],
  [
    'an error with escapes',
    (response) =>
      void response
        .writeHead(500, { 'content-type': 'application/json' })
        .end(JSON.stringify({ code: 'internal', message: escapes })),
  ],
])('a core that answers %s is told of in one line', async (_, answer) => {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const core = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await admin('games', 'list', '--core', core)).toEqual(
      failed(new RegExp(`^${core} answers, but not as a core of this version\\. `)),
    )
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('a file with what is no JSON: its place is told, or it is put aside', async () => {
  const lines = [
    Buffer.from(JSON.stringify(statement())),
    Buffer.from('{"a" 1}'),
    Buffer.from('{"a": "\xff"}', 'latin1'),
    Buffer.from('{"\\q": 1}'),
    Buffer.from('{"sha2" 1}'),
    Buffer.from(JSON.stringify(statement())),
  ]
  writeFileSync(join(folder, 'bad.ndjson'), Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])))
  expect(await admin('statements', 'import', 'bad.ndjson', '--key', game.key)).toEqual(
    failed(/^Statement 2 is refused: must be JSON in UTF-8 \(--rejects/),
  )
  expect(
    await admin('statements', 'import', 'bad.ndjson', '--key', game.key, '--rejects', 'r', '--attachments', '.'),
  ).toEqual(done('2 statements were stored, 0 were there already, 4 were put aside.'))
  expect(
    readFileSync(join(folder, 'r'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(
    ['"a" 1}', '"a": "\ufffd"}', '"\\q": 1}', '"sha2" 1}'].map((end) => ({
      refused: 'must be JSON in UTF-8',
      text: expect.stringContaining(end),
    })),
  )
  expect(await admin('statements', 'import', 'bad.ndjson', '--key', 'nobody')).toEqual(
    failed(/^There is no valid credential with this key: "games list" shows the keys\.$/),
  )
})

test.runIf(existsSync('/dev/full'))('what cannot be written is told', async () => {
  const full = launch('bash', ['-c', `'${process.execPath}' admin/main.ts limits > /dev/full`], {
    env: { PATH: process.env['PATH'], ...connected() },
  })
  expect([await full.exited, full.output().trim()]).toEqual([1, 'The output cannot be written: the disk is full.'])
})

test('what is written to files is told to programs', async () => {
  await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(statements(2))) })
  expect(JSON.parse((await admin('statements', 'export', '--key', game.key, '--out', 'all', '--json')).out)).toEqual({
    file: 'all',
    added: 2,
    statements: 2,
  })
  expect(
    JSON.parse((await admin('learners', 'export', 'nobody@example.org', '--out', 'nobody', '--json')).out),
  ).toEqual({ file: 'nobody', statements: 0, documents: 0 })
})
