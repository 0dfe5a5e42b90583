import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Milliseconds that requests under way may still take when the process ends. */
const closeMs = 5_000

export interface Listening {
  readonly port: number
  close(): Promise<void>
}

/** Resolves when the server accepts requests. */
export async function listening(
  server: Server,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<Listening> {
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const late = setTimeout(() => server.closeAllConnections(), closeMs)
      await closed
      clearTimeout(late)
    },
  }
}
