import { connect } from 'node:net'

/** Sends these bytes to the server and answers all that it says until it closes the connection. */
export function rawRequest(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let said = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setTimeout(10_000, () => socket.destroy(new Error('no end of the answer within 10 s')))
    socket
      .on('data', (chunk) => (said += chunk))
      .once('error', reject)
      .once('close', () => resolve(said))
  })
}
