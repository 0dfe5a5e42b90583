import { inSlices } from '../../../process/concurrency/slices.ts'
import { verbKey, type Key } from '../../../records/xapi/identify.ts'
import { parse } from '../../../records/xapi/json.ts'
import { playVerbIris } from '../../../records/xapi/serious-games.ts'
import type { Statement } from '../../../records/xapi/types.ts'
import type { Database } from '../../../process/database/database.ts'
import { along, everything, orderAlong } from '../../../process/database/look.ts'

/** Statements of a learner that are looked at, and those of them with verbs of the serious-games profile. */
const mostSeen = 1_000
const mostPlays = 200

const since = { after: '$3', until: everything.until, ascending: false }
const verbs = playVerbIris.map(verbKey)
const latest = {
  name: 'session_plays',
  text: `with seen as materialized (
      select * from statement r where ${along('r', { game: '$1', actor: '$2' }, 'stored', since)}
      ${orderAlong('r', { game: '$1', actor: '$2' }, 'stored', since)} limit ${mostSeen})
    select s.id, s.body, (select count(*) from seen)::int as seen from seen s
    where s.verb = any ($4::uuid[]) and not s.voided order by s.stored desc limit ${mostPlays}`,
}

export interface SessionPlays {
  /** In their order. */
  readonly plays: readonly { readonly id: string; readonly statement: Statement }[]
  /** There are none before them. */
  readonly isWhole: boolean
}

/** What a learner has done with things of a game lately. */
export function sessionPlayStore({ run }: Pick<Database, 'run'>) {
  return {
    /** @param since microseconds */
    sessionPlays: async (game: number, actor: Key, since: number): Promise<SessionPlays> => {
      const rows = await run<{ id: string; body: string; seen: number }>(latest, [game, actor, since, verbs])
      const plays = await inSlices(
        rows,
        ({ body }) => body.length,
        ({ id, body }) => ({ id, statement: parse(body) as Statement }),
      )
      return {
        plays: plays.toReversed(),
        isWhole: rows.length < mostPlays && (rows[0]?.seen ?? 0) < mostSeen,
      }
    },
  }
}
