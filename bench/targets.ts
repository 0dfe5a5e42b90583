import { agentIdentifier } from '../core/records/xapi/identify.ts'
import type { Identifiers } from '../core/records/xapi/types.ts'
import type { Credential } from './fill.ts'
import { authorizationOf } from './keys.ts'
import { withClient } from './system.ts'

/** A statement of the store. Requests ask for it, or use its values as filters. */
export interface Target {
  id: string
  /** Its place in the order. */
  stored: number
  /** Index of its game in the shape. */
  game: number
  credential: Credential
  statement: Statement
}

interface Statement {
  actor: Actor
  verb: { id: string }
  object: { objectType?: string; id: string }
  context: { registration: string; instructor?: Actor; team?: Actor; contextActivities: { grouping: { id: string }[] } }
}

type Actor = Identifiers & { member?: Identifiers[] }

/** Some targets, spread over the whole store and all games; none is voided. */
export function targetsOf(url: string, credentials: readonly Credential[], count: number): Promise<Target[]> {
  const games = new Map(credentials.map(({ game }, number) => [game, number]))
  return withClient(url, async (client) => {
    // samples whole blocks with about 100 times the wanted rows: enough rows, without reading a large table
    const { rows } = await client.query<{ id: string; stored: string; game: number; body: string }>(
      `select id, stored, game, body from statement tablesample system (
         (select least(100, 100.0 * 100 * $1 / greatest(reltuples, 1)) from pg_class where oid = 'statement'::regclass))
       where not voided order by random() limit $1`,
      [count],
    )
    if (rows.length === 0) throw new Error('the store holds no statements')
    return rows.map(({ id, stored, game, body }) => {
      const number = games.get(game)!
      return { id, stored: Number(stored), game: number, credential: credentials[number]!, statement: JSON.parse(body) }
    })
  })
}

/** JSON of the identifier of the actor. */
export const agentOf = ({ statement }: Target): string => identifierOf(statement.actor)

/** JSON of the identifier of the instructor; without one, of a member of the team; without a team, of the actor. */
export function relatedAgentOf({ statement: { actor, context } }: Target): string {
  return identifierOf(context.instructor ?? context.team?.member?.[0] ?? actor)
}

export const authorizationFor = ({ game }: Target): Record<string, string> => ({ Authorization: authorizationOf(game) })

function identifierOf(agent: Identifiers): string {
  const identifier = agentIdentifier(agent)
  if (identifier === undefined) throw new Error(`no identifier: ${JSON.stringify(agent)}`)
  return identifier
}
