import { connect, type Socket } from 'node:net'

export interface HttpAnswer {
  status: number
  head: string
  body: Buffer
}

/** A keep-alive connection with one request at a time: leaner than fetch, so that it is not the generator that is measured. */
export interface Connection {
  send(request: Buffer): Promise<HttpAnswer>
  close(): void
}

const headEnd = Buffer.from('\r\n\r\n')
const none = Buffer.alloc(0)

export function openConnection(port: number): Promise<Connection> {
  return new Promise((opened, refused) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.once('error', refused)
    socket.once('connect', () => {
      socket.off('error', refused)
      opened(connectionOf(socket))
    })
  })
}

function connectionOf(socket: Socket): Connection {
  let waiting: { resolve(answer: HttpAnswer): void; reject(error: Error): void } | undefined
  let chunks: Buffer[] = []
  let size = 0
  let head: string | undefined
  let expected = 0
  let bodyStart = 0

  const fail = (error: Error): void => {
    waiting?.reject(error)
    waiting = undefined
  }
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the connection was closed before the answer')))
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (head === undefined) {
      const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks, size)
      chunks = [bytes]
      const end = bytes.indexOf(headEnd)
      if (end < 0) return
      head = bytes.toString('latin1', 0, end)
      bodyStart = end + 4
      expected = bodyStart + lengthOf(head)
    }
    if (size < expected) return
    if (size > expected) return fail(new Error('more came than the answer'))
    const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
    const answer = { status: Number(head.slice(9, 12)), head, body: expected === bodyStart ? none : bytes.subarray(bodyStart) }
    chunks = []
    size = 0
    head = undefined
    const { resolve } = waiting!
    waiting = undefined
    resolve(answer)
  })

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}

function lengthOf(head: string): number {
  const found = /\r\ncontent-length: *(\d+)/i.exec(head)
  if (found) return Number(found[1])
  if (/^HTTP\/1\.1 (?:204|304)/.test(head)) return 0
  throw new Error(`an answer without Content-Length: ${head}`)
}

/** The bytes of a request. */
export function requestOf(method: string, path: string, headers: Record<string, string>, body?: Buffer | string): Buffer {
  let head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Experience-API-Version: 1.0.3\r\n`
  for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`
  if (body !== undefined) head += `Content-Length: ${Buffer.byteLength(body)}\r\n`
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), Buffer.from(body ?? '')])
}
