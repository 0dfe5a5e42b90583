import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** What every scanner finds, though it is harmless; in two parts, so that none finds it here. */
export const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')

/** Stands in for clamd: finds EICAR's string in the bytes as they come, and takes `most` bytes of a file. */
export async function fakeClamd(most: number) {
  const state = { isFrozen: false, files: 0 }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    if (state.isFrozen) return void socket.pause()
    let got = Buffer.alloc(0)
    socket.on('data', (bytes: Buffer) => {
      got = Buffer.concat([got, bytes])
      const answer = answerTo(got, most)
      if (answer === undefined) return
      if (answer.startsWith('stream')) state.files++
      // as clamd does, with bytes that were not read: a reset
      if (answer.startsWith('INSTREAM')) socket.write(`${answer}\0`, () => socket.resetAndDestroy())
      else socket.end(`${answer}\0`)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const at = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, timeout: 30_000 }
  return { at, state, close: () => server.close() }
}

/** Undefined: more is to come. */
function answerTo(got: Buffer, most: number): string | undefined {
  const end = got.indexOf(0)
  if (end === -1) return undefined
  const command = got.toString('latin1', 0, end)
  if (command === 'zPING') return 'PONG'
  if (command === 'zVERSION') return 'ClamAV 1.4.3/27800/Fri Nov 27 2026'
  if (command !== 'zINSTREAM') return 'UNKNOWN COMMAND'
  const chunks: Buffer[] = []
  let size = 0
  for (let at = end + 1; at + 4 <= got.length;) {
    const length = got.readUInt32BE(at)
    size += length
    if (size > most) return 'INSTREAM size limit exceeded. ERROR'
    if (length === 0) return Buffer.concat(chunks).includes(eicar) ? 'stream: Eicar-Signature FOUND' : 'stream: OK'
    chunks.push(got.subarray(at + 4, (at += 4 + length)))
  }
  return undefined
}
