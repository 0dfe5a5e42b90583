import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readXml } from './s3-client.ts'

/** Answers with `size` bytes of text. */
async function answerOf(size: number): Promise<Response> {
  const server = createServer((_, response) => response.end(Buffer.alloc(size, 'x'))).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

test('an answer of 4 MiB is read, a larger one is an error', async () => {
  expect(await readXml(await answerOf(4 * 1024 * 1024))).toHaveLength(4 * 1024 * 1024)
  await expect(readXml(await answerOf(4 * 1024 * 1024 + 1))).rejects.toThrow(/TooLarge/)
})
