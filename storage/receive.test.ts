import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { partReceiver } from './receive.ts'
import { signUrl } from './signed-url.ts'
import { StorageFailure } from './storage.ts'
import { bestOfThree } from '../test/support/cost.ts'

test('a part that is refused once all of it has come is refused at once', bestOfThree, async () => {
  const secret = Buffer.alloc(32, 1)
  const receive = partReceiver(secret, async (_permission, bytes) => {
    for await (const _ of bytes);
    await sleep(50)
    throw new StorageFailure('missing', 'gone')
  })
  const server = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const path = signUrl(secret, {
    key: 'uploads/one',
    id: 'x',
    number: 1,
    size: 1_000,
    expires: Math.ceil(Date.now() / 1000) + 60,
  })
  const began = performance.now()
  const { status } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
    method: 'PUT',
    body: new Uint8Array(1_000),
  })
  expect(status).toBe(404)
  expect(performance.now() - began).toBeLessThan(1_500)
  server.close()
})
