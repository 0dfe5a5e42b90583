import type { lookup } from 'node:dns'
import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { coreAgent } from './core-agent.ts'

test('connections go to the addresses of core in turn; one that cannot be reached is passed over', async () => {
  let found = ['127.0.0.1', '127.0.0.2']
  const look = ((_name: string, _options: object, done: (error: null, all: object[]) => void) =>
    done(
      null,
      found.map((address) => ({ address, family: 4 })),
    )) as unknown as typeof lookup
  let port = 0
  const serve = async (host: string) => {
    const server = createServer((_request, response) => response.end(host)).listen(port, host)
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    ;({ port } = server.address() as AddressInfo)
    return server
  }
  const first = await serve('127.0.0.1')
  await serve('127.0.0.2')
  const agent = coreAgent('http://core.example', { look })
  onTestFinished(() => agent.destroy())
  const ask = async (): Promise<string> => {
    const request = get({ agent, host: 'core.example', port })
    const [response] = await once(request, 'response')
    return (await response.toArray()).join('')
  }
  const answers = async (count: number) => (await Promise.all(Array.from({ length: count }, ask))).toSorted()
  const half = (host: string, count: number): string[] => Array.from({ length: count }, () => host)
  expect(await answers(6)).toEqual([...half('127.0.0.1', 3), ...half('127.0.0.2', 3)])

  first.close()
  first.closeAllConnections()
  agent.destroy()
  expect(await answers(4)).toEqual(half('127.0.0.2', 4))

  await serve('127.0.0.3')
  found = ['127.0.0.2', '127.0.0.3']
  agent.destroy()
  expect(new Set(await answers(4))).toEqual(new Set(found))
})

test('a connection stays open for further calls, and takes none after ten seconds', async () => {
  const server = createServer((request, response) => response.end(String(request.socket.remotePort))).listen(0)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const agent = coreAgent('http://127.0.0.1')
  onTestFinished(() => agent.destroy())
  const ask = async (): Promise<string> => {
    const [response] = await once(get({ agent, port }), 'response')
    const text = (await response.toArray()).join('')
    await new Promise(setImmediate)
    return text
  }
  const first = await ask()
  expect(await ask()).toBe(first)
  const { now } = performance
  performance.now = () => now.call(performance) + 10_001
  onTestFinished(() => void (performance.now = now))
  expect(await ask()).toBe(first)
  expect(await ask()).not.toBe(first)
})
