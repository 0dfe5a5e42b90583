import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** When the process ends, requests under way may take this long. */
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
