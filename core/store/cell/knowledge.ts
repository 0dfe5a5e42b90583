import type { Key } from '../../xapi/identify.ts'
import { currentCredential } from './current.ts'
import type { Database, Prepared } from '../database.ts'
import type { Credentialed } from './write-statements.ts'

const definitionsOf = {
  name: 'definitions_of',
  text: `select c.current, d.activity is not null as known, d.definition as text, d.stored
    from ${currentCredential('$4')}
    left join activity_definition d on d.activity = $3 and c.current order by d.stored`,
}
const namesOf = {
  name: 'names_of',
  text: `select c.current, a.known is not null as known, a.name as text, a.stored
    from ${currentCredential('$4')}
    left join (
      select true as known, name, stored from agent_name where agent = $3
      union all select true, null, 0 where exists (select from document where agent = $3)) a on c.current`,
}

/** What a statement said of an activity or an agent. */
export interface Told {
  /** Definition as JSON, or name as a JSON string; null: it is only known to exist. */
  readonly text: string | null
  /** Microseconds. */
  readonly stored: number
}

/** Definitions of activities and names of agents that statements of the cell gave. A sandbox has only its own. */
export function knowledgeStore(database: Database) {
  async function told(
    query: Prepared,
    { credential, credentialVersion, session }: Credentialed,
    key: Key,
  ): Promise<Told[] | undefined | 'stale'> {
    const rows = await database.run<{ current: boolean; known: boolean; text: string | null; stored: string }>(query, [
      credential,
      credentialVersion,
      key,
      session ?? null,
    ])
    if (!rows[0]!.current) return 'stale'
    return rows[0]!.known ? rows.map(({ text, stored }) => ({ text, stored: Number(stored) })) : undefined
  }

  return {
    /** Definitions, oldest first; undefined when no statement names the activity. */
    definitions: (who: Credentialed, activity: Key) => told(definitionsOf, who, activity),

    /** Names; undefined when neither statements nor documents know the agent. */
    names: (who: Credentialed, agent: Key) => told(namesOf, who, agent),
  }
}
