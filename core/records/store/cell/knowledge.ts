import type { Key } from '../../xapi/identify.ts'
import { currentCredential } from './current.ts'
import { sql, type Database, type Prepared } from '../../../process/database/database.ts'
import type { Credentialed } from './write-statements.ts'

/**
 * What was told and is not written yet (core/process/database/functions/tell.sql): one row for each group that does. A row may have
 * 10,000 entries. Opening all its lists takes 30 times as long as looking whether it tells of the owner.
 */
const telling = (owners: string, lists: string, owner: string) =>
  `select convert_from(substring(t.texts from u.start + 1 for u.length), 'UTF8') as text, u.key,
      t.base + u.n * t.step as stored
    from (select * from telling r where r.base > 0 and ${owner} = any (r.${owners}) order by r.base) t
    cross join lateral (
      select u.key, min(u.start) as start, min(u.length) as length, max(u.n) as n
      from unnest(${lists}) u (n, owner, key, start, length)
      where u.owner = ${owner} and (t.inserted is null or u.n = any (t.inserted)) group by u.key) u`
const definitionsTold = telling(
  'defined',
  't.defines, t.defined, t.definition_key, t.definition_offset, t.definition_length',
  '$3',
)
const namesTold = telling('named', 't.names, t.named, t.name_key, t.name_offset, t.name_length', '$3')

const definitionsOf = sql('definitions_of')`select c.current, d.known is not null as known, d.text, d.stored
    from ${currentCredential('$4')}
    left join (
      select true as known, text, stored from (
        select text, stored, row_number() over newest as nth, sum(octet_length(text)) over newest as bytes
        from (
          select (array_agg(text))[1] as text, max(stored) as stored, key from (
            select definition as text, definition_key as key, stored from activity_definition where activity = $3
            union all ${definitionsTold}) a
          group by key) k
        window newest as (partition by text is null order by stored desc, key)) n
      where nth = 1 or (nth <= most_definitions() and bytes <= most_definition_bytes())
    ) d on c.current order by d.stored`
const namesOf = sql('names_of')`select c.current, a.known is not null as known, a.name as text, a.stored
    from ${currentCredential('$4')}
    left join (
      (
        select true as known, (array_agg(text))[1] as name, min(stored) as stored from (
          select name as text, name_key as key, stored from agent_name where agent = $3
          union all ${namesTold}) n
        group by key order by min(stored) limit 100)
      union all select true, null, 0 where exists (select from document where agent = $3)) a on c.current`

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
