import { verbKey } from '../core/xapi/identify.ts'
import { withClient } from './system.ts'

/** Statements to ask for: each of a learner and a session with more than a page of answers. */
export interface Target {
  id: string
  /** JSON of the Agent. */
  agent: string
  instructor: string
  registration: string
}

export const answered = 'http://adlnet.gov/expapi/verbs/answered'

/** Some targets, spread over the whole store. */
export function targetsOf(url: string, game: number, count: number): Promise<Target[]> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ id: string; body: string }>(
      `select s.id, s.body from (
         select max(stored) as stored from statement where game = $1 group by registration
         having count(*) filter (where verb = $2) > 51 order by random() limit $3
       ) r join statement s on s.game = $1 and s.stored = r.stored`,
      [game, verbKey(answered), count],
    )
    if (rows.length === 0) throw new Error('the store holds no session that is long enough')
    return rows.map(({ id, body }) => {
      const { actor, context } = JSON.parse(body)
      return { id, agent: JSON.stringify(actor), instructor: JSON.stringify(context.instructor), registration: context.registration }
    })
  })
}
