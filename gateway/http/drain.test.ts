import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { failure, nod, stage } from '../../test/support/gateway.ts'
import { createDrain } from './drain.ts'

const mebibyte = 1024 * 1024

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
})

/** Lets time pass, and all that follows from it happen. */
async function pass(ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 50) {
    await vi.advanceTimersByTimeAsync(50)
    for (let turn = 0; turn < 40; turn++) await new Promise((done) => setImmediate(done))
  }
}

function drained() {
  const drain = createDrain()
  const told = { read: 0, ended: 0 }
  const piece = Buffer.alloc(64 * 1024)
  return {
    told,
    /** Somebody who sends so many bytes and, if `stops`, never the end. */
    send(bytes: number, stops = false) {
      let left = bytes
      const request = new Readable({
        highWaterMark: piece.length,
        read() {
          if (left > 0) {
            told.read += piece.length
            this.push(piece)
          } else if (!stops) this.push(null)
          left -= piece.length
        },
      })
      const end = () => {
        told.ended++
        request.destroy()
      }
      drain(request as IncomingMessage, { end } as unknown as ServerResponse)
    },
  }
}

test('of one sender 8 MB are read, or 5 s', async () => {
  const { told, send } = drained()
  send(2 * mebibyte)
  await pass(50)
  expect(told).toEqual({ read: 2 * mebibyte, ended: 1 })
  send(40 * mebibyte)
  await pass(1_000)
  expect(told.ended).toBe(2)
  expect(told.read).toBeLessThan(11 * mebibyte)
  send(0, true)
  await pass(4_900)
  expect(told.ended).toBe(2)
  await pass(150)
  expect(told.ended).toBe(3)
})

test('of many senders together no more than 32 MB a second are read, and the others wait their turn', async () => {
  const { told, send } = drained()
  for (let n = 0; n < 100; n++) send(2 * mebibyte)
  await pass(50)
  const first = told.read
  // 16 MB, and two pieces that each had on the way
  expect(first).toBeGreaterThan(15 * mebibyte)
  expect(first).toBeLessThan(32 * mebibyte)
  await pass(2_000)
  expect(told.read - first).toBeLessThan(70 * mebibyte)
  await pass(1_800)
  expect(told.read - first).toBeGreaterThan(100 * mebibyte)
  expect(told.ended).toBeGreaterThan(0)
  await pass(1_200)
  expect(told.ended).toBe(100)
  // and then there is room again
  send(2 * mebibyte)
  await pass(50)
  expect(told.ended).toBe(101)
})

test('who waits longest is ended when more than 256 wait', async () => {
  const { told, send } = drained()
  for (let n = 0; n < 1_000; n++) send(8 * mebibyte)
  await pass(100)
  expect(told.ended).toBeGreaterThanOrEqual(1_000 - 256 - 64)
  expect(told.read).toBeLessThan(160 * mebibyte)
})

test('a stranger with a wrong secret who sends 2 MB before it reads has its 401, also beside 64 that never end', async () => {
  vi.useRealTimers()
  const refuses = () => failure(Reason.UNAUTHENTICATED, 'The secret is wrong')
  const { port } = await stage((request) => (request.call.case === 'identify' ? refuses() : nod(request)))
  /** Reads nothing until all is sent. */
  const send = (bytes: number, length = bytes) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      socket.on('error', reject)
      socket.write(
        'POST /xapi/statements HTTP/1.1\r\nHost: a\r\nAuthorization: Basic YTpi\r\nX-Experience-API-Version: 1.0.3\r\n' +
          `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
      )
      socket.write(Buffer.alloc(bytes), () => socket.once('data', (data) => resolve(data.toString('latin1'))))
    })
  for (let n = 0; n < 64; n++) send(100_000, 2 * mebibyte).catch(() => {})
  expect(await send(2 * mebibyte)).toMatch(/^HTTP\/1\.1 401 /)
})
