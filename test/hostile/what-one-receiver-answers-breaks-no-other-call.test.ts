import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { outgoing } from '../../core/process/outgoing/outgoing.ts'

const calls = outgoing({ allowed: ['127.0.0.1'], seconds: 5, mailSeconds: 5, sentBytes: 16 * 2 ** 20 })
afterAll(() => calls.close())

/** An address whose server does this with each connection that sent something. */
async function server(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const started = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', () => answer(socket))
  }).listen(0, '127.0.0.1')
  await once(started, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    started.close()
  })
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}/`
}

/** Writes the same again and again, as fast as it is taken. */
function flood(socket: Socket, text: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(text));
  }
  socket.on('drain', more)
  more()
}

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'
test.each<[string, RegExp, (socket: Socket) => void]>([
  ['another protocol', /another protocol/, (socket) => socket.write(upgrade)],
  ['early answers without end', /early answers/, (socket) => flood(socket, 'HTTP/1.1 102 P\r\n\r\n'.repeat(2_000))],
  [
    'a million pieces of a byte',
    /bytes or pieces/,
    (socket) => socket.write(chunked) && flood(socket, '1\r\nx\r\n'.repeat(9_000)),
  ],
  ['a body that is cut by the end of the time', /in time/, (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n["')],
])('%s', async (_name, problem, answer) => {
  const url = await server(answer)
  // it answers when the other calls have ended
  const all = Promise.withResolvers<void>()
  const good = await server((socket) => void all.promise.then(() => socket.end('HTTP/1.1 204 No\r\n\r\n')))
  // one that takes its time, as the attack does, would end with it
  const bystander = problem.source === 'in time' ? undefined : calls.guardedFetch({ url: good })
  const ended = await Promise.allSettled(Array.from({ length: 4 }, () => calls.guardedFetch({ url })))
  for (const one of ended) expect(String((one as PromiseRejectedResult).reason)).toMatch(problem)
  all.resolve()
  expect((await bystander)?.status ?? 204).toBe(204)
})

test('large texts of many calls do not fill the heap of the thread', async () => {
  const slow = await server(() => {})
  const body = '語'.repeat(5 * 2 ** 20)
  const ended = await Promise.allSettled(
    Array.from({ length: 8 }, () => calls.guardedFetch({ url: slow, method: 'POST', body })),
  )
  for (const one of ended) expect(String((one as PromiseRejectedResult).reason)).toMatch(/in time/)
})
