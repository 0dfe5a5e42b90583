import { on, once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A session of Postgres, the client that has it, and what Postgres said at its start. */
interface Session {
  readonly socket: Socket
  readonly greeting: Buffer
  client: Socket | undefined
}

/**
 * Stands between clients and the Postgres of tests, as a pooler does: it drops the `options` of clients. A session
 * belongs to its client until that leaves; while `share(true)` holds, only until the end of a transaction.
 */
export async function pooler(url: string) {
  const at = new URL(url)
  const user = at.searchParams.get('user')!
  const sockets = new Set<Socket>()
  const sessions = new Map<Socket, Session>()
  const idle: Session[] = []
  let shares = false
  let syncs = 0
  let opened = 0

  async function open(): Promise<Session> {
    const socket = connect(`${at.searchParams.get('host')}/.s.PGSQL.${at.searchParams.get('port')}`)
    keep(socket)
    opened++
    socket.write(startup({ user, database: at.pathname.slice(1) }))
    const said: Buffer[] = []
    for await (const [bytes] of on(socket, 'data')) {
      said.push(bytes)
      if (isReady(Buffer.concat(said))) break
    }
    const session: Session = { socket, greeting: Buffer.concat(said), client: undefined }
    socket.on('data', (bytes: Buffer) => {
      session.client?.write(bytes)
      // Postgres sends what ends a transaction at once, and no more before the next one
      if (!isReady(bytes)) return
      syncs++
      if (shares && isIdle(bytes)) release(session)
    })
    return session
  }

  function release(session: Session): void {
    if (session.client) sessions.delete(session.client)
    session.client = undefined
    idle.push(session)
  }

  async function take(client: Socket): Promise<Session> {
    const session = sessions.get(client) ?? idle.pop() ?? (await open())
    session.client = client
    sessions.set(client, session)
    return session
  }

  const server = createServer((client) => {
    keep(client)
    let turn = Promise.resolve()
    client.once('data', () => {
      turn = take(client).then((session) => {
        client.write(session.greeting)
        if (shares) release(session)
      })
      client.on('data', (bytes: Buffer) => {
        turn = turn.then(async () => {
          if (bytes[0] === 'X'.charCodeAt(0)) return void client.end()
          ;(await take(client)).socket.write(bytes)
        })
      })
    })
    client.on('close', () => sessions.get(client)?.socket.destroy())
  })

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }

  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return {
    url: `postgres://${user}@127.0.0.1:${(server.address() as AddressInfo).port}${at.pathname}?sslmode=disable`,
    /** Whether clients share sessions, transaction by transaction; later ones get new sessions. */
    share(now: boolean): void {
      shares = now
      for (const { socket } of idle.splice(0)) socket.destroy()
    },
    /** Answers for which clients have waited: one for each round trip. */
    roundTrips: () => syncs,
    /** Sessions of Postgres that were opened. */
    opened: () => opened,
  }
}

function startup(parameters: Record<string, string>): Buffer {
  const text = Object.entries(parameters).flat().join('\0')
  const message = Buffer.from(`\0\0\0\0\0\x03\0\0${text}\0\0`)
  message.writeInt32BE(message.length)
  return message
}

/** Whether the bytes end with ReadyForQuery, and whether that is outside of a transaction. */
const isReady = (bytes: Buffer) => bytes.subarray(-6, -1).equals(Buffer.from('Z\0\0\0\x05'))
const isIdle = (bytes: Buffer) => bytes.at(-1) === 'I'.charCodeAt(0)
