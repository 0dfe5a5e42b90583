import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { processorTime } from '../support/cost.ts'
import { statement } from '../support/statements.ts'
import { MiB, startBytes, type Bytes } from './bytes.ts'

let { system, game, xapi } = {} as Bytes
beforeAll(async () => {
  ;({ system, game, xapi } = await startBytes())
})
afterAll(() => system.close())

describe('IRIs', () => {
  const characters = Array.from("abcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/äöß漢字ÿ€😀")
  const randomIri = (length: number) =>
    `https://example.org/${Array.from(randomBytes(length), (byte) => characters[byte % characters.length]).join('')}`

  test('of 3,000 random characters are stored and found by activity and verb', async () => {
    for (let round = 0; round < 5; round++) {
      const one = statement({ verb: { id: randomIri(3_000) }, object: { id: randomIri(3_000) } })
      expect((await xapi.post(one)).status).toBe(200)
      // percent-encoded, that many characters beyond ASCII do not fit into a request line: over RPC they do
      for (const filter of [
        { verb: one.verb.id },
        { activity: one.object.id },
        { verb: one.verb.id, activity: one.object.id },
      ]) {
        const { json } = await game.rpc().statements.queryStatements(filter)
        expect(json.map((bytes) => JSON.parse(Buffer.from(bytes).toString()).id)).toEqual([one.id])
      }
      expect(await game.rpc().statements.getActivity({ activityId: one.object.id })).toBeDefined()
    }
  })

  test('of 3,000 ASCII characters are found over HTTP', async () => {
    const iri = () => `https://example.org/${randomBytes(1_490).toString('hex')}`
    const one = statement({ verb: { id: iri() }, object: { id: iri() } })
    await xapi.post(one)
    expect((await xapi.all({ verb: one.verb.id, activity: one.object.id })).map(({ id }) => id)).toEqual([one.id])
  })

  test.each([
    ['1 MB', `https://example.org/${'x'.repeat(MiB)}`],
    ['1 MB of percent escapes', `https://example.org/${'%41'.repeat(350_000)}`],
    ['1 MB of percent signs', `https://example.org/${'%'.repeat(MiB)}`],
    ['1 MB of brackets', `https://example.org/${'['.repeat(MiB)}`],
    ['1 MB of colons', 'a:'.repeat(MiB / 2)],
  ])('%s are dealt with at once', async (_about, id) => {
    const body = JSON.stringify(statement({ object: { id } }))
    const began = processorTime()
    expect([200, 400]).toContain((await xapi.post(body)).status)
    expect(processorTime() - began).toBeLessThan(1_000)
  })
})
