import { EventEmitter } from 'node:events'
import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { isProving, takeProof, tapRows, takeRows } from './wire.ts'

function message(kind: string, content: Buffer): Buffer {
  const head = Buffer.from(`${kind}....`)
  head.writeUInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

function dataRow(fields: (string | null)[]): Buffer {
  const parts = fields.flatMap((field) => [
    int(field === null ? -1 : Buffer.byteLength(field)),
    Buffer.from(field ?? ''),
  ])
  return message('D', Buffer.concat([Buffer.from([0, fields.length]), ...parts]))
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const fields: (string | null)[][] = [
  ['12', '{"a":"ß"}', null],
  ['', null, '0'],
  ['1763700000000001', 'D'.repeat(300), ''],
]
const rows = fields.map(dataRow)
const before = [message('2', Buffer.alloc(0)), message('T', Buffer.from('DDDDDDDDDDDD'))]
const after = [message('C', Buffer.from('SELECT 3\0')), message('Z', Buffer.from('I'))]

/** A connection and what node-postgres would have read of it. */
function connection() {
  const stream = new EventEmitter()
  const read: Buffer[] = []
  stream.on('data', (bytes: Buffer) => read.push(Buffer.from(bytes)))
  const client = { connection: { stream } } as unknown as Client
  tapRows(client)
  return { client, send: (bytes: Buffer) => stream.emit('data', bytes), read: () => Buffer.concat(read).toString() }
}

const sent = Buffer.concat([...before, ...rows, ...after])
const rest = Buffer.concat([...before, ...after]).toString()
const sizes = Array.from({ length: sent.length }, (_, index) => index + 1)

test('rows are taken and all else goes on, in pieces of any size', async () => {
  for (const size of sizes) {
    const { client, send, read } = connection()
    const taken = await takeRows(client, async () => {
      for (let at = 0; at < sent.length; at += size) send(sent.subarray(at, at + size))
    })
    expect(
      taken.map((row) => [0, 1, 2].map((index) => row.bytes(index)?.toString() ?? null)),
      `pieces of ${size}`,
    ).toEqual(fields)
    expect(read(), `pieces of ${size}`).toBe(rest)
  }
})

test('without somebody who takes them rows go on too, and the next query may take its own', async () => {
  for (const size of sizes) {
    const { client, send, read } = connection()
    for (let at = 0; at < sent.length; at += size) send(sent.subarray(at, at + size))
    expect(read(), `pieces of ${size}`).toBe(sent.toString())
    expect(await takeRows(client, async () => send(sent))).toHaveLength(rows.length)
    expect(read(), `pieces of ${size}`).toBe(sent.toString() + rest)
  }
})

const proof = [message('1', Buffer.alloc(0)), message('2', Buffer.alloc(0)), message('C', Buffer.from('SELECT 0\0'))]
const notice = message('N', Buffer.from('WDDDD\0'))

test('what answers a proof is taken, in pieces of any size, and the answer to the query is not', async () => {
  const all = Buffer.concat([proof[0]!, proof[1]!, notice, proof[2]!, sent])
  for (const size of sizes) {
    const { client, send, read } = connection()
    takeProof(client)
    const taken = await takeRows(client, async () => {
      for (let at = 0; at < all.length; at += size) send(all.subarray(at, at + size))
    })
    expect([taken.length, isProving(client), read()], `pieces of ${size}`).toEqual([3, false, notice + rest])
  }
})

test('a proof that fails goes on, and is known as one', () => {
  const { client, send, read } = connection()
  takeProof(client)
  const failure = Buffer.concat([proof[1]!, message('E', Buffer.from('SERROR\0\0')), message('Z', Buffer.from('I'))])
  send(failure)
  expect([isProving(client), read()]).toEqual([true, failure.subarray(proof[1]!.length).toString()])
})

test('whole numbers', async () => {
  const { client, send } = connection()
  const taken = await takeRows(client, async () => send(sent))
  expect(taken.map((row) => row.number(0))).toEqual([12, 0, 1_763_700_000_000_001])
  expect(taken.map((row) => row.number(2))).toEqual([null, 0, 0])
})

test('a query that fails in the middle leaves the connection as it was', async () => {
  const { client, send, read } = connection()
  const failure = message('E', Buffer.from('SERROR\0Mnot today\0\0'))
  const failing = takeRows(client, async () => {
    send(Buffer.concat([rows[0]!, failure]))
    throw new Error('not today')
  })
  await expect(failing).rejects.toThrow('not today')
  send(after[1]!)
  expect(read()).toBe(failure.toString() + after[1]!.toString())
})
