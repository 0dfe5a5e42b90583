import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attachment, contentPart, jsonPart, multipart, multipartType, signatureType } from '../support/attachments.ts'
import { bestOfThree } from '../support/cost.ts'
import { besides, expectBearable } from '../support/crowd.ts'
import type { Game } from '../support/games.ts'
import { startProcesses, type Processes } from '../support/processes.ts'
import { signed } from '../support/signatures.ts'
import { player, statement, statements, type Json } from '../support/statements.ts'

const slow = JSON.parse(readFileSync(new URL('../cases/signatures/slow-keys.json', import.meta.url), 'utf8'))
const { key, signer, studio } = JSON.parse(
  readFileSync(new URL('../cases/signatures/certificates.json', import.meta.url), 'utf8'),
)

let processes: Processes
let hostile: Game
let victim: Game
beforeAll(async () => {
  processes = await startProcesses()
  hostile = await processes.game()
  victim = await processes.game()
  await victim.xapi().post(statement())
}, 60_000)
afterAll(() => processes.close())

/** A body with signed statements. */
function body(list: Json[], by: string, x5c: string[]): Buffer {
  const contents = list.map((one) => signed(one, by, x5c))
  const whole = list.map((one, n) => ({
    ...one,
    attachments: [attachment(contents[n]!, { usageType: signatureType })],
  }))
  return multipart([jsonPart(whole), ...contents.map((content) => contentPart(content))])
}

for (const [name, statuses, tags] of [
  ['exponent3064', [400], []],
  ['modulus4096exponent64', [200], ['long']],
] as const)
  test(`8 senders of chains of ten certificates of the kind ${name}`, { ...bestOfThree, tags: [...tags] }, async () => {
    const { key, certificate } = slow[name]
    const headers = {
      authorization: hostile.authorization,
      'x-experience-api-version': '1.0.3',
      'content-type': multipartType,
    }
    const request = {
      url: `${processes.urls[0]}/xapi/statements`,
      method: 'POST',
      headers,
      body: body([statement({ actor: player('mallory') })], key, Array(10).fill(certificate)),
    }
    const told = await besides(8, request, () => victim.xapi().get({ limit: 1 }))
    expectBearable(told)
    expect(told.statuses).toEqual(statuses)
  })

test('a request has 250 signed statements', bestOfThree, async () => {
  const { status } = await hostile.xapi().request('POST', 'statements', {
    headers: { 'content-type': multipartType },
    body: body(statements(250), key, [signer, studio]),
  })
  expect(status).toBe(200)
})
