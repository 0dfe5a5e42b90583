import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { createGateway } from '../app.ts'
import type { GatewayConfig } from '../config.ts'
import type { Relay } from '../core-connection/relay.ts'
import { createDownloadBudget } from './download-budget.ts'
import { ask, usual } from '../../test/support/gateway.ts'

function clocked(max: number) {
  let time = 0
  const ended: string[] = []
  const budget = createDownloadBudget({ max, now: () => time })
  return {
    ended,
    budget,
    pass: (ms: number) => (time += ms),
    begin: (name: string, weight = 1) => budget.begin(weight, () => void ended.push(name)),
  }
}

test('the slowest give way, as many as it takes; who takes what it is given, or waits for us, does not', () => {
  const { begin, pass, ended, budget } = clocked(4)
  const [fast, slow, slower] = ['fast', 'slow', 'slower'].map((name) => begin(name))
  slower!.pieceSent()
  pass(100)
  slow!.pieceSent()
  fast!.pieceSent()
  pass(5_000)
  fast!.pieceTaken()
  begin('new')
  expect(() => begin('more', 4)).toThrow(expect.objectContaining({ reason: Reason.UNAVAILABLE }))
  expect(ended).toEqual(['slower', 'slow'])
  begin('last', 2)
  expect(budget.held).toBe(4)
  expect(() => begin('none')).toThrow()
  fast!.done()
  slow!.done()
  expect(budget.held).toBe(3)
})

test('who takes nothing for ten seconds is ended in any case', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { begin, pass, ended } = clocked(10)
  const steady = begin('steady')
  begin('stuck').pieceSent()
  pass(9_000)
  steady.pieceSent()
  vi.advanceTimersByTime(1_000)
  expect(ended).toEqual([])
  pass(2_000)
  vi.advanceTimersByTime(1_000)
  expect(ended).toEqual(['stuck'])
})

test('what is alone has room', () => {
  const { begin } = clocked(4)
  begin('large', 100).done()
  begin('again', 100)
})

test('300 clients that do not read their pages of 4 MB: the memory stays bounded, others are served, and afterwards it is free', async () => {
  // pages as they come from core, without one
  const page = () => ({
    jsonRun: new Uint8Array(4 * 1024 * 1024).fill(0x20),
    next: '',
    consistentThrough: 0n,
    attachments: [],
  })
  const relay = {
    call: async () => page(),
    note: () => {},
    refuses: () => undefined,
    trouble: async () => undefined,
    close: () => {},
  } as unknown as Relay
  const config: GatewayConfig = {
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
    attachmentsMaxBytes: 1024 * 1024,
  }
  const gateway = createGateway(config, { relay, log: pino({ level: 'silent' }) })
  const port = await gateway.listen()
  const memory = () => process.memoryUsage().arrayBuffers
  const before = memory()
  let most = 0
  const watching = setInterval(() => (most = Math.max(most, memory() - before)), 5)
  const sockets: Socket[] = []
  for (let count = 0; count < 300; count++) {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {})
    socket.once('data', () => socket.pause())
    socket.write(
      `GET /xapi/statements HTTP/1.1\r\nHost: x\r\nAuthorization: ${usual.Authorization}\r\nX-Experience-API-Version: 1.0.3\r\n\r\n`,
    )
    sockets.push(socket)
    if (count % 10 === 9) await new Promise((done) => setTimeout(done, 20))
  }
  // small answers at once, pages as soon as those who read none give way
  expect((await ask(port, 'GET', '/xapi/about', { headers: {} })).status).toBe(200)
  await expect.poll(async () => (await ask(port, 'GET', '/xapi/statements')).body.length).toBeGreaterThan(4_000_000)
  clearInterval(watching)
  // without a bound it would be 300 times 8 MB; what is not yet collected counts, too
  expect(most).toBeLessThan(400 * 1024 * 1024)
  for (const socket of sockets) socket.destroy()
  await gateway.close()
})
