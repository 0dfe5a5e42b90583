import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { createGateway } from '../app.ts'
import { refusal } from './failure.ts'
import type { Relay } from '../core-connection/relay.ts'
import { ask } from '../../test/support/gateway.ts'

/** A gateway whose pages have one attachment, with the content that `fetch` gives. */
async function reading(fetch: () => AsyncGenerator<Uint8Array>) {
  const attachments = [{ sha2: 'a'.repeat(64), contentType: 'text/plain', size: 5n }]
  const page = { jsonRun: Buffer.from('{}'), next: '', consistentThrough: 0n, attachments }
  const relay = {
    call: async () => page,
    attachments: { fetch },
    note: () => {},
    refuses: () => undefined,
    trouble: async () => undefined,
    close: () => {},
  } as unknown as Relay
  const gateway = createGateway(
    {
      host: '127.0.0.1',
      port: 0,
      cores: [],
      serviceToken: 'x',
      defaultVersion: '1.0.3',
      dialect: 'games',
      logLevel: 'error',
      logFormat: 'json',
      trustProxy: 0,
      relayTimeoutMs: 20_000,
      attachmentsMaxBytes: 1024,
    },
    { relay, log: pino({ level: 'silent' }) },
  )
  const port = await gateway.listen()
  onTestFinished(() => gateway.close())
  return { get: () => ask(port, 'GET', '/xapi/statements?attachments=true') }
}

test('a stream that is refused before its first byte is 503, in words', async () => {
  let full = true
  // oxlint-disable-next-line require-yield
  const { get } = await reading(async function* () {
    if (full) throw refusal(Reason.UNAVAILABLE, 'Too many downloads at the moment; try again')
    yield Buffer.from('bytes')
  })
  const refused = await get()
  expect([refused.status, JSON.parse(refused.text)]).toEqual([
    503,
    { message: 'Too many downloads at the moment; try again' },
  ])
  expect(refused.headers['x-experience-api-version']).toBe('1.0.3')
  full = false
  const heard = await get()
  expect(heard.status).toBe(200)
  expect(heard.text).toContain('\r\n\r\nbytes\r\n--')
})

test('one that breaks off later ends the connection, so that nobody takes it for whole', async () => {
  const { get } = await reading(async function* () {
    yield Buffer.from('by')
    throw refusal(Reason.UNAVAILABLE, 'The connection to the store broke; try again')
  })
  await expect(get()).rejects.toThrow()
})
