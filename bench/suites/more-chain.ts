import { compare } from '../arms.ts'
import { authorizationOf } from '../keys.ts'
import { openConnection, requestOf } from '../load/http.ts'
import { progress } from '../progress.ts'
import { lineOf, type Suite } from '../suite.ts'
import { withClient } from '../system.ts'

const limit = 50
const far = 1_000
const headers = { Authorization: authorizationOf(0) }

/** A page far down a chain of `more` links, which is followed to get there, beside the first one. */
export const moreChain: Suite = {
  name: 'more-chain',
  async run({ system, load, databaseUrl, credential, size, rounds, ms, watched }) {
    const first = `/xapi/statements?limit=${limit}`
    const page = Math.min(far, Math.floor((await readable(databaseUrl, credential.game)) / limit) - 1)
    // a game of a few statements has no chain
    if (page < 2) return []
    const last = await followed(system.port, first, page)
    const arm = (name: string, path: string) => ({
      name,
      run: (ms: number) =>
        load.run({
          kind: 'send',
          port: system.port,
          clients: 4,
          ms,
          requests: [{ method: 'GET', path, headers, statements: limit }],
          expect: { status: 200 },
        }),
    })
    const [near, there] = [arm('page 1', first), arm(`page ${page}`, last)]
    const comparison = await compare('a chain of more links', [near, there], { rounds, ms, watched })
    const line = lineOf(
      'more-chain',
      `page ${page} of a more chain`,
      size,
      'pages/s',
      comparison,
      there.name,
      near.name,
    )
    return [
      line,
      {
        suite: 'more-chain',
        measure: `page ${page} of a more chain: p50 by that of page 1`,
        size,
        unit: 'times',
        value: comparison.ratio(there.name, near.name, ({ p50 }) => p50),
        goal: { atMost: 1.1 },
      },
    ]
  },
}

/** Statements of the game that a page may show. */
function readable(url: string, game: number): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query('select count(*) from statement where game = $1 and not voided', [game])
    return Number(rows[0].count)
  })
}

/** The path of the page of this number. */
async function followed(port: number, first: string, page: number): Promise<string> {
  const connection = await openConnection(port)
  let path = first
  let before = '9'
  for (let number = 1; number < page; number++) {
    if (number % 100 === 0) progress(`following more links: ${number} of ${page}`)
    const { status, body } = await connection.send(requestOf('GET', path, headers))
    const { statements, more } = JSON.parse(body.toString()) as { statements: { stored: string }[]; more: string }
    const stored = statements.map(({ stored }) => stored)
    const inOrder = stored.every((time, index) => time < (stored[index - 1] ?? before))
    if (status !== 200 || stored.length !== limit || !inOrder || more === '')
      throw new Error(`page ${number} of the chain is wrong: ${body.toString('utf8', 0, 300)}`)
    before = stored.at(-1)!
    path = more
  }
  connection.close()
  return path
}
