import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Transform } from 'node:stream'
import { onTestFinished } from 'vitest'

/**
 * A way to the Postgres of tests that can fall silent: what is on it stays open, and nothing passes any more.
 * @param change what becomes of the bytes of Postgres on their way
 */
export async function quietable(url: string, change?: () => Transform) {
  const at = new URL(url)
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer((near) => {
    const far = connect(`${at.searchParams.get('host')}/.s.PGSQL.${at.searchParams.get('port')}`)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy()).on('close', () => (sockets.delete(from), to.destroy()))
      if (change && from === far) from.pipe(change()).pipe(to)
      else from.pipe(to)
      if (isSilent) from.unpipe()
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return {
    url: `postgres://${at.searchParams.get('user')}@127.0.0.1:${(server.address() as AddressInfo).port}${at.pathname}?sslmode=disable`,
    /** Those that are open; with `later` new ones, too. */
    silence(later: boolean): void {
      isSilent = later
      for (const socket of sockets) socket.unpipe()
    },
    mend(): void {
      isSilent = false
      // what was stuck is gone
      for (const socket of sockets) socket.destroy()
    },
  }
}
