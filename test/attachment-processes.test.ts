import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attachment, boundary, contentPart, jsonPart, multipart, multipartType } from './support/attachments.ts'
import type { Game } from './support/games.ts'
import { startProcesses, type Processes } from './support/processes.ts'
import { sampled } from './support/sampled.ts'
import { statement } from './support/statements.ts'

const MiB = 1024 * 1024
const size = 30 * MiB

let processes: Processes
let game: Game
beforeAll(async () => {
  processes = await startProcesses()
  game = await processes.game()
})
afterAll(() => processes.close())

/** Resident bytes of a process. */
const resident = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024

/** A content of `size` bytes that need not be held: one megabyte again and again, with a number before it. */
function* content(n: number): Generator<Buffer> {
  yield Buffer.from(String(n))
  for (let at = 1; at < size; at += MiB) yield noise.subarray(0, Math.min(MiB, size - at))
}
const noise = randomBytes(MiB)

const hashes = new Map<number, string>()
function hashOf(n: number): string {
  if (!hashes.has(n)) {
    const hash = createHash('sha256')
    for (const piece of content(n)) hash.update(piece)
    hashes.set(n, hash.digest('hex'))
  }
  return hashes.get(n)!
}

function ask(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: Iterable<Buffer | string>,
): Promise<{ status: number; hash: string; bytes: number }> {
  return new Promise((resolve, reject) => {
    const all = { authorization: game.authorization, 'x-experience-api-version': '1.0.3', ...headers }
    const asked = request(new URL(path, processes.urls[0]), { method, headers: all }, (response) => {
      const hash = createHash('sha256')
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        hash.update(chunk)
        bytes += chunk.length
      })
      response.on('end', () => resolve({ status: response.statusCode!, hash: hash.digest('hex'), bytes }))
    })
    asked.on('error', reject)
    void (async () => {
      for (const piece of body) if (!asked.write(piece)) await new Promise((done) => asked.once('drain', done))
      asked.end()
    })()
  })
}

async function growthDuring(work: () => Promise<unknown>): Promise<{ core: number; gateway: number }> {
  const { cores, gateways } = processes.pids()
  const pids = { core: cores[0]!, gateway: gateways[0]! }
  const before = { core: resident(pids.core), gateway: resident(pids.gateway) }
  const growth = { core: 0, gateway: 0 }
  const timer = setInterval(() => {
    for (const name of ['core', 'gateway'] as const)
      growth[name] = Math.max(growth[name], resident(pids[name]) - before[name])
  }, 20)
  await work().finally(() => clearInterval(timer))
  return growth
}

for (const { cases, tags } of sampled([2, 4], 1))
  test.runIf(process.platform === 'linux').for(cases)(
    '%s times 30 MB at once, in and out, cost core and gateway less than 100 MB each',
    { tags },
    async (uploads) => {
      const sent = Array.from({ length: uploads }, (_, n) =>
        statement({ attachments: [attachment('', { sha2: hashOf(n), length: size })] }),
      )
      function* bodyOf(n: number) {
        const { headers } = contentPart('', { 'X-Experience-API-Hash': hashOf(n) })
        yield `--${boundary}\r\nContent-Type: application/json\r\n\r\n${jsonPart(sent[n]).content}\r\n--${boundary}\r\n`
        yield `${Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('')}\r\n`
        yield* content(n)
        yield `\r\n--${boundary}--\r\n`
      }
      const inwards = await growthDuring(async () => {
        const answers = await Promise.all(
          sent.map((_, n) => ask('POST', '/xapi/statements', { 'content-type': multipartType }, bodyOf(n))),
        )
        expect(answers.map(({ status }) => status)).toEqual(Array(uploads).fill(200))
      })
      const outwards = await growthDuring(async () => {
        const answers = await Promise.all(
          sent.map(({ id }) => ask('GET', `/xapi/statements?attachments=true&statementId=${id}`, {}, [])),
        )
        for (const { status, bytes } of answers) expect([status, bytes > size]).toEqual([200, true])
      })
      console.log(
        `Growth in MB: ${JSON.stringify({ inwards, outwards }, (_key, value) =>
          typeof value === 'number' ? Math.round(value / MiB) : value,
        )}`,
      )
      for (const growth of [inwards, outwards]) {
        expect(growth.gateway).toBeLessThan(100 * MiB)
        expect(growth.core).toBeLessThan(100 * MiB)
      }
    },
  )

test('a core that dies half-way is a 503; the gateway goes on with the next request', async () => {
  const one = statement({ attachments: [attachment('', { sha2: hashOf(9), length: size })] })
  let dead: Promise<void> | undefined
  function* half() {
    yield `--${boundary}\r\nContent-Type: application/json\r\n\r\n${jsonPart(one).content}\r\n--${boundary}\r\n`
    yield `X-Experience-API-Hash: ${hashOf(9)}\r\n\r\n`
    for (const piece of content(9)) {
      yield piece
      if (piece.length === MiB) dead ??= processes.crashCore(0)
    }
    yield `\r\n--${boundary}--\r\n`
  }
  expect((await ask('POST', '/xapi/statements', { 'content-type': multipartType }, half())).status).toBe(503)
  await dead
  const body = multipart([jsonPart(statement({ attachments: [attachment('after')] })), contentPart('after')])
  await expect.poll(async () => (await game.xapi().post(body, { 'content-type': multipartType })).status).toBe(200)
  await expect.poll(async () => (await game.xapi().get({ statementId: one.id })).status).toBe(404)
})
