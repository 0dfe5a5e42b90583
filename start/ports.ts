import { connect, createServer } from 'node:net'

/** Whether something accepts connections on the port of this machine. */
export function answers(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ port, host, timeout: 1000 })
    const tell = (answer: boolean) => (): void => {
      socket.destroy()
      done(answer)
    }
    socket.once('connect', tell(true)).once('error', tell(false)).once('timeout', tell(false))
  })
}

/** Throws an Error of one line if a port is taken; waits up to `patienceMs` for ports that become free. */
export async function requireFree(
  ports: readonly { setting: string; port: number }[],
  patienceMs: number,
): Promise<void> {
  const until = performance.now() + patienceMs
  for (const { setting, port } of ports) {
    while (!(await isFree(port))) {
      if (performance.now() >= until) throw new Error(`Port ${port} is in use: stop what uses it, or set ${setting}.`)
      await new Promise((done) => setTimeout(done, 50))
    }
  }
}

/** On macOS a port can be bound though a server listens on another address, so this connects before it binds. */
async function isFree(port: number): Promise<boolean> {
  if (await answers(port)) return false
  if (await answers(port, '::1')) return false
  return new Promise((done) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES') done(true) // the process that needs the port will report it
      else done(false)
    })
    server.listen(port, () => server.close(() => done(true)))
  })
}

/** Whether the gateway refuses the credential: core makes the demo game in an empty store only. */
export async function isRefused(gatewayPort: number, key: string, secret: string): Promise<boolean> {
  const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
  const headers = { authorization, 'x-experience-api-version': '1.0.3' }
  const { status } = await fetch(`http://127.0.0.1:${gatewayPort}/xapi/statements?limit=1`, { headers })
  return status === 401
}
