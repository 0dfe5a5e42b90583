import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { StoreStatementsStreamRequestSchema } from '../../gen/lrs/v1/statements_pb.js'
import type { Game } from '../support/games.ts'
import { startProcesses, type Processes } from '../support/processes.ts'
import { statement, statements, type Json } from '../support/statements.ts'
import { jsonRequest, storeStream } from '../support/store-stream.ts'
import { bestOfThree } from '../support/cost.ts'

const MiB = 1024 * 1024
let processes: Processes
let victim: Game
const sessions: ClientHttp2Session[] = []
beforeAll(async () => {
  processes = await startProcesses()
  victim = await processes.game()
  for (let n = 0; n < 100; n++) await victim.rpc().statements.storeStatements(jsonRequest(n, statement()))
})
afterAll(() => {
  for (const session of sessions) session.destroy()
  return processes.close()
})

const memory = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${processes.pids().cores[0]}/status`, 'latin1'))![1]) * 1024
const session = () => {
  const one = connect(processes.coreUrls[0]!).on('error', () => {})
  sessions.push(one)
  return one
}
/** A stream as gRPC has it, whose answers nobody reads. */
function streamOn(on: ClientHttp2Session, { authorization }: Pick<Game, 'authorization'>): ClientHttp2Stream {
  const path = '/lrs.v1.StatementService/StoreStatementsStream'
  return on
    .request(
      { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', authorization },
      { endStream: false },
    )
    .on('error', () => {})
}
const message = (sequence: number, what: Json) => {
  const bytes = toBinary(
    StoreStatementsStreamRequestSchema,
    create(StoreStatementsStreamRequestSchema, jsonRequest(sequence, what)),
  )
  const head = Buffer.alloc(5)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}
/** Milliseconds that a call of the victim takes at worst. */
async function slowest(calls: number): Promise<number> {
  let most = 0
  for (let n = 0; n < calls; n++) {
    const began = performance.now()
    await victim.rpc().statements.storeStatements(jsonRequest(n, statement()))
    most = Math.max(most, performance.now() - began)
  }
  return most
}

test(
  'a client that reads no answers is not read either, and stores no more than may be under way',
  bestOfThree,
  async () => {
    const before = memory()
    // a window of no bytes: not one answer can be sent
    const hostile = connect(processes.coreUrls[0]!, { settings: { initialWindowSize: 0 } }).on('error', () => {})
    sessions.push(hostile)
    const game = await processes.game()
    const stream = streamOn(hostile, game)
    let [sent, isBlocked] = [0, false]
    // 20,000 requests, 200 MB in all
    const filling = { response: 'x'.repeat(10_000) }
    for (; sent < 20_000 && !isBlocked; sent++) {
      if (!stream.write(message(sent, statement({ result: filling }))))
        isBlocked = await Promise.race([once(stream, 'drain').then(() => false), sleep(3_000, true)])
    }
    expect(isBlocked).toBe(true)
    const stored = (await game.xapi().all({ limit: 500 })).length
    expect(stored).toBeGreaterThan(0)
    expect(stored).toBeLessThan(5_000)
    expect(memory() - before).toBeLessThan(100 * MiB)
    expect(await slowest(20)).toBeLessThan(1_000)
  },
)

test(
  'a thousand streams of one game, each with one byte: 20 are let in, and others are answered',
  bestOfThree,
  async () => {
    const before = memory()
    const game = await processes.game()
    let [open, refused] = [0, 0]
    /** Opens streams; resolves when all but twenty of all that were opened have ended. */
    const wave = async (on: ClientHttp2Session, count: number) => {
      for (let n = 0; n < count; n++) {
        const stream = streamOn(on, game).resume()
        stream.on('trailers', (trailers) => (refused += trailers['grpc-status'] === '14' ? 1 : 0))
        stream.on('close', () => open--)
        stream.write(Buffer.from([0]))
        open++
      }
      await expect.poll(() => open).toBeLessThanOrEqual(20)
    }
    const first = session()
    onTestFinished(() => first.destroy())
    await wave(first, 100)
    // where it takes longer than core waits for strangers, some of those that were let in have ended as well
    expect(refused).toBeGreaterThanOrEqual(80)
    for (let count = 0; count < 5; count++) {
      const [longest] = await Promise.all([slowest(3), wave(session(), 250)])
      expect(longest).toBeLessThan(10_000)
    }
    expect(refused).toBeGreaterThan(1_250)
    expect(memory() - before).toBeLessThan(150 * MiB)
    first.destroy()
    const next = storeStream(game.rpc().statements)
    await sleep(100)
    next.send(jsonRequest(1, statement()))
    await expect.poll(() => next.answers.get(1n)?.case).toBe('stored')
    await next.done()
  },
)

test('core is killed in the middle: what was acknowledged is stored; the rest is sent again, once', async () => {
  const game = await processes.game()
  const batches = Array.from({ length: 400 }, () => statements(5))
  const stream = storeStream(game.rpc().statements)
  stream.send(...batches.map((batch, n) => jsonRequest(n, batch)))
  await expect.poll(() => stream.answers.size, { interval: 1 }).toBeGreaterThan(20)
  await processes.crashCore(0)
  await expect(stream.end).rejects.toThrow()
  const acknowledged = [...stream.answers.keys()].map(Number)
  expect(acknowledged.length).toBeLessThan(batches.length)
  const idsOf = async () => (await game.xapi().all({ limit: 500 })).map(({ id }) => id as string)
  const after = new Set(await idsOf())
  for (const n of acknowledged) for (const { id } of batches[n]!) expect(after.has(id)).toBe(true)
  // each of the others whole or not at all
  for (const batch of batches) expect([0, batch.length]).toContain(batch.filter(({ id }) => after.has(id)).length)

  const again = storeStream(game.rpc().statements)
  again.send(...batches.flatMap((batch, n) => (stream.answers.has(BigInt(n)) ? [] : [jsonRequest(n, batch)])))
  await again.done()
  expect([...again.answers.values()].every(({ case: found }) => found === 'stored')).toBe(true)
  expect((await idsOf()).toSorted()).toEqual(batches.flatMap((batch) => batch.map(({ id }) => id as string)).toSorted())
})
