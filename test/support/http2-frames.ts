import { connect } from 'node:net'

/** What no client library sends: frames of HTTP/2 as bytes (RFC 9113 6). */
export const types = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  window: 8,
  continuation: 9,
} as const
export const endStream = 1
export const endHeaders = 4

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
  length = payload.length,
): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** The header block of a POST, without compression (RFC 7541). */
export function post(path: string, headers: Record<string, string> = {}): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])
  const literals = Object.entries(headers).map(([name, value]) =>
    Buffer.concat([Buffer.from([0]), text(name), text(value)]),
  )
  return Buffer.concat([Buffer.from([0x83, 0x86, 0x04]), text(path), Buffer.from([0x01]), text('x'), ...literals])
}

export const opening = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(types.settings, 0, 0)])

/** Sends pieces, reading nothing, until the server has had enough, so many bytes are sent or the time is over; returns how many bytes went. */
export function flood(
  port: number,
  pieces: Iterable<Buffer>,
  { bytes = 64 * 1024 * 1024, ms = 1_500 } = {},
): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let sent = 0
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(sent)
    }
    const timer = setTimeout(end, ms)
    const source = pieces[Symbol.iterator]()
    const write = () => {
      while (!socket.destroyed) {
        const { done, value } = source.next()
        if (done || sent > bytes) return
        sent += value.length
        if (!socket.write(value)) return void socket.once('drain', write)
      }
    }
    socket.pause()
    socket.on('error', end).on('close', end).once('connect', write)
  })
}
