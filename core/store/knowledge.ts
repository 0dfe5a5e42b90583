import type { Key } from '../xapi/identify.ts'
import type { Database } from './database.ts'

const definitionsOf = {
  name: 'definitions_of',
  text: 'select definition from activity_definition where activity = $1 order by stored',
}
const namesOf = {
  name: 'names_of',
  text: `select name from agent_name where agent = $1
    union all select null where exists (select from document where agent = $1)`,
}

/** What statements have told of activities and agents, across all games. */
export function knowledgeStore(database: Database) {
  return {
    /** Definitions as JSON, oldest first; undefined when no statement names the activity. */
    async definitions(activity: Key): Promise<string[] | undefined> {
      const rows = await database.run<{ definition: string | null }>(definitionsOf, [activity])
      return rows.length === 0 ? undefined : rows.flatMap(({ definition }) => definition ?? [])
    },

    /** Names as JSON strings; undefined when neither statements nor documents know the agent. */
    async names(agent: Key): Promise<string[] | undefined> {
      const rows = await database.run<{ name: string | null }>(namesOf, [agent])
      return rows.length === 0 ? undefined : rows.flatMap(({ name }) => name ?? [])
    },
  }
}
