import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a server that can be cut: connections break off in the middle, and new ones are refused until it is mended. */
export async function cuttable(port: number) {
  const open = new Set<Socket>()
  let isCut = false
  let left = Infinity
  const server = createServer((near) => {
    if (isCut) return void near.resetAndDestroy()
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.on('error', () => to.destroy()).on('close', () => (open.delete(from), to.end()))
      from.pipe(to)
    }
    near.on('data', (bytes) => {
      left -= bytes.length
      if (left < 0) cut()
    })
  })
  const cut = (): void => {
    isCut = true
    left = Infinity
    for (const socket of open) socket.destroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    /** Cuts when so many more bytes went up. */
    cutAfter(bytes: number): void {
      left = bytes
    },
    get isCut() {
      return isCut
    },
    mend(): void {
      isCut = false
    },
    async close(): Promise<void> {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
