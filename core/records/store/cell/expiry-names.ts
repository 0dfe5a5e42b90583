import { knowledgeKey } from '../../xapi/document-scope.ts'
import { agentKey, relatedAgentKey, type Key } from '../../xapi/identify.ts'
import { parse } from '../../xapi/json.ts'
import { visitAgents } from '../../xapi/mentions.ts'
import type { Statement } from '../../xapi/types.ts'
import { only, sql, type Database, type Run } from '../../../process/database/database.ts'
import { exactly } from '../../../process/database/look.ts'
import { isHere } from './current.ts'
import { addExpired } from './expiry-counts.ts'
import { countErasure, lockOrder, stays } from './expiry-locks.ts'
import { looked } from './named-learners.ts'

/** An agent that statements name: its keys as actor or object, and elsewhere. */
export interface NamedAgent {
  readonly key: Key
  readonly relatedKey: Key
}

const bodies = sql('expiry_bodies')`select s.body from unnest($2::bigint[]) n (stored)
    cross join lateral (
      select r.body from statement r where ${exactly('r', { game: '$1', stored: 'n.stored' })} limit 1) s`
const sandboxOf = sql('expiry_sandbox_of')`
  select case when sandbox_of is not null then uuid end as sandbox from tenant where game = $1`
const finds = (table: string, column: string, key: string) =>
  `exists (select from ${table} r where ${looked({ game: 'g.game', [column]: key }, '0')} limit 1)`
/** A sandbox knows the names of its own statements, games those of all games. */
const isNamed = `exists (
  select from tenant g where ${isHere} and case when $4 then g.game = $5 else g.sandbox_of is null end
    and (${finds('statement', 'actor', 'n.key')} or ${finds('posting', 'term', 'n.key')}
      or ${finds('posting', 'term', 'n.related')}))`
const ofAgents = 'unnest($1::uuid[], $2::uuid[], $3::uuid[]) n (key, related, known)'
const unnamed = sql('expiry_unnamed')`select n.key from ${ofAgents}
    where exists (select from agent_name a where a.agent = n.known) and not ${isNamed}`
const remove = sql('expiry_remove_names')`with gone as (
      delete from agent_name a using ${ofAgents} where a.agent = n.known and not ${isNamed} returning a.name)
    select count(name)::int as count from gone`

/** The agents that these statements name, each once. */
export async function agentsNamedIn(run: Run, game: number, places: readonly number[]): Promise<NamedAgent[]> {
  const agents = new Map<Key, NamedAgent>()
  for (const { body } of await run<{ body: string }>(bodies, [game, places]))
    visitAgents(parse(body) as Statement, (agent) => {
      const key = agentKey(agent)
      if (key) agents.set(key, { key, relatedKey: relatedAgentKey(agent)! })
    })
  return [...agents.values()]
}

/** Names of agents whose statements have expired. */
export function expiryNames({ run, transaction }: Pick<Database, 'run' | 'transaction'>) {
  return {
    /**
     * Forgets the names of those of these agents whom no statement names any more. Returns for how many milliseconds
     * writers waited; 'busy': the game is being moved.
     */
    async forgetNames(id: string, game: number, agents: readonly NamedAgent[]): Promise<{ waited: number } | 'busy'> {
      const { sandbox } = await only(run<{ sandbox: string | null }>(sandboxOf, [game]))
      const columns = (of: readonly NamedAgent[]) => [
        of.map(({ key }) => key),
        of.map(({ relatedKey }) => relatedKey),
        of.map(({ key }) => knowledgeKey(key, sandbox ?? undefined)),
        sandbox !== null,
        game,
      ]
      // most are named elsewhere: no writer waits until that is known
      const rows = await run<{ key: string }>(unnamed, columns(agents))
      const found = new Set(rows.map(({ key }) => key.replaceAll('-', '')))
      if (found.size === 0) return { waited: 0 }
      return transaction(async (run) => {
        if (!(await only(run<{ stays: boolean }>(stays, [game]))).stays) return 'busy'
        await run(lockOrder, [])
        const began = performance.now()
        const { count } = await only(
          run<{ count: number }>(remove, columns(agents.filter(({ key }) => found.has(key)))),
        )
        if (count > 0) await run(countErasure, [])
        await addExpired(run, id, game, false, { names: count })
        return { waited: performance.now() - began }
      })
    },
  }
}
