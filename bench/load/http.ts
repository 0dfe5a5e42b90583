import { connect, type Socket } from 'node:net'

export interface HttpAnswer {
  status: number
  head: string
  body: Buffer
}

/** A keep-alive connection with one request at a time: leaner than fetch, so that it is not the generator that is measured. */
export interface Connection {
  /** Connects again first if the last answer ended the connection. */
  send(request: Buffer): Promise<HttpAnswer>
  close(): void
}

const headEnd = Buffer.from('\r\n\r\n')
const none = Buffer.alloc(0)

export async function openConnection(port: number): Promise<Connection> {
  let socket = await openSocket(port)
  return {
    async send(request) {
      if (socket.destroyed) socket = await openSocket(port)
      const answer = await exchange(socket, request)
      if (/\r\nconnection: *close/i.test(answer.head)) socket.destroy()
      return answer
    },
    close: () => socket.destroy(),
  }
}

function openSocket(port: number): Promise<Socket> {
  return new Promise((opened, refused) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.once('error', refused)
    socket.once('connect', () => {
      socket.off('error', refused)
      opened(socket)
    })
  })
}

function exchange(socket: Socket, request: Buffer): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let size = 0
    let head: string | undefined
    let bodyStart = 0
    let expected = 0
    const leave = (): void => void socket.off('data', take).off('error', fail).off('close', fail)
    const fail = (error: unknown): void => {
      leave()
      socket.destroy()
      reject(error instanceof Error ? error : new Error('the connection was closed before the answer'))
    }
    const take = (chunk: Buffer): void => {
      chunks.push(chunk)
      size += chunk.length
      if (head === undefined) {
        if (chunks.length > 1) chunks = [Buffer.concat(chunks, size)]
        const end = chunks[0]!.indexOf(headEnd)
        if (end < 0) return
        head = chunks[0]!.toString('latin1', 0, end)
        bodyStart = end + 4
        const length = lengthOf(head)
        if (length === undefined) return fail(new Error(`an answer without Content-Length: ${head}`))
        expected = bodyStart + length
      }
      if (size < expected) return
      if (size > expected) return fail(new Error('more came than the answer'))
      leave()
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
      resolve({
        status: Number(head.slice(9, 12)),
        head,
        body: expected === bodyStart ? none : bytes.subarray(bodyStart),
      })
    }
    socket.on('data', take).on('error', fail).on('close', fail)
    socket.write(request)
  })
}

function lengthOf(head: string): number | undefined {
  const found = /\r\ncontent-length: *(\d+)/i.exec(head)
  if (found) return Number(found[1])
  return /^HTTP\/1\.1 (?:204|304)/.test(head) ? 0 : undefined
}

/** The bytes of a request. */
export function requestOf(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: Buffer | string,
): Buffer {
  let head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Experience-API-Version: 1.0.3\r\n`
  for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`
  if (body !== undefined) head += `Content-Length: ${Buffer.byteLength(body)}\r\n`
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), Buffer.from(body ?? '')])
}
