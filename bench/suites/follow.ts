import { timestampOf } from '../../core/records/xapi/timestamp.ts'
import { compare, median } from '../arms.ts'
import { authorizationOf } from '../keys.ts'
import type { Followed } from '../load/job.ts'
import { startLoad } from '../load/load.ts'
import { lineOf, type Suite } from '../suite.ts'
import { withClient } from '../system.ts'

const writers = 8
const batch = 20

/** Eight writers of one game with and without one follower who polls with `since`; the follower has to have seen everything, in order. */
export const follow: Suite = {
  name: 'follow',
  async run({ system, load, shape, databaseUrl, credential, size, rounds, ms, watched, seed }) {
    const follower = () => startLoad()
    const write = (ms: number) =>
      load.post({
        kind: 'post',
        port: system.port,
        shape: shape.name,
        game: 0,
        batch,
        clients: writers,
        ms,
        seed: seed(),
      })
    const lags: Followed[] = []
    let missed = 0
    const comparison = await compare(
      `${writers} writers`,
      [
        { name: 'writers alone', run: write },
        {
          name: 'writers, followed',
          async run(ms) {
            const behind = follower()
            const since = timestampOf(await lastStored(databaseUrl, credential.game))
            const { followed, stop } = behind.follow({
              kind: 'follow',
              port: system.port,
              authorization: authorizationOf(0),
              since,
            })
            const round = await write(ms)
            stop()
            const seen = await followed
            behind.close()
            missed += await missedOf(databaseUrl, round.ids, seen)
            lags.push(seen)
            return { ...round, ids: [] }
          },
        },
      ],
      { rounds, ms, watched },
    )
    const line = (measure: string, unit: string, value: number, atMost: number) => ({
      suite: 'follow',
      measure,
      size,
      unit,
      value,
      goal: { atMost },
    })
    return [
      lineOf(
        'follow',
        `${writers} writers of ${batch} and 1 follower`,
        size,
        'statements/s',
        comparison,
        'writers, followed',
        'writers alone',
        { atLeast: 0.9 },
      ),
      line('follower: p99 from stored to seen', 'ms', median(lags.slice(1).map(({ lagP99 }) => lagP99)), 250),
      line('follower: missed', 'statements', missed, 0),
    ]
  },
}

/**
 * How many statements a follower should have seen and did not; those that were voided meanwhile are shown to nobody.
 * @throws Error when some came twice or out of order
 */
export async function missedOf(url: string, ids: readonly string[], seen: Followed): Promise<number> {
  const known = new Set(seen.ids)
  if (!seen.inOrder || known.size !== seen.ids.length)
    throw new Error('the follower saw statements twice or out of order')
  const missing = ids.filter((id) => !known.has(id))
  return withClient(url, async (client) => {
    const { rows } = await client.query('select count(*) from statement where id = any ($1) and voided', [missing])
    return missing.length - Number(rows[0].count)
  })
}

function lastStored(url: string, game: number): Promise<number> {
  return withClient(url, async (client) =>
    Number((await client.query('select max(stored) as last from statement where game = $1', [game])).rows[0].last),
  )
}
