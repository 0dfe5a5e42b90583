import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attachment, contentPart, jsonPart, multipart, multipartType } from '../support/attachments.ts'
import type { Game } from '../support/games.ts'
import { statement } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { xapiClient, type XapiClient } from '../support/xapi.ts'

const MiB = 1024 * 1024
/** A sixteenth of what a launch token may send in a minute. */
const most = 12 * MiB
let system: System
let game: Game
beforeAll(async () => {
  // core/process/limits/byte-allowance.test.ts tests the real limits
  system = await startSystem({ rateLimitFactor: 1, sentFactor: 1 / 16 })
  game = await system.game()
})
afterAll(() => system.close())

const agent = () => ({ account: { homePage: 'https://games.example.org', name: randomUUID() } })
const learner = async (actor = agent()) => xapiClient(system.urls[0]!, await game.launch(actor))

/** One statement with an attachment of the given MiB. */
async function attach(client: XapiClient, size: number) {
  const content = randomBytes(size * MiB)
  const body = multipart([jsonPart(statement({ attachments: [attachment(content)] })), contentPart(content)])
  return client.request('POST', 'statements', { body, headers: { 'content-type': multipartType } })
}

test('a launch token has a limit of bytes of attachments and documents a minute; other tokens, and the key, go on', async () => {
  const actor = agent()
  const flood = await learner(actor)
  let stored = 0
  for (;;) {
    const { status, json } = await attach(flood, 5)
    if (status !== 200) {
      expect([status, json]).toEqual([429, { error: 'Rate limit exceeded' }])
      break
    }
    stored += 5 * MiB
    expect(stored).toBeLessThanOrEqual(most)
  }
  expect(stored).toBe(10 * MiB)

  const query = { activityId: 'https://games.example.org/a', agent: actor, stateId: 's' }
  const put = (client: XapiClient) =>
    client.request('PUT', 'activities/state', {
      query,
      body: randomBytes(512 * 1024),
      headers: { 'content-type': 'application/octet-stream' },
    })
  const answers = []
  for (let n = 0; n < 5; n++) answers.push((await put(flood)).status)
  // the part of the refused request that arrived counts
  expect(answers.at(-1)).toBe(429)
  expect((await flood.post(statement())).status).toBe(200)
  expect((await attach(await learner(), 5)).status).toBe(200)
  expect((await attach(game.xapi(), 31)).status).toBe(200)
  expect((await put(game.xapi())).status).toBe(204)
})
