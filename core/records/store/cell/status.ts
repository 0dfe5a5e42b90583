import { isHere, newestOfAll } from './current.ts'
import { only, sql, type Run } from '../../../process/database/database.ts'

export interface CellStatus {
  /** Since 00:00 UTC. */
  readonly statementsToday: number
  /** Microseconds; 0: there is none. */
  readonly lastStored: number
}

const status = sql('cell_status')`select (select count(*) from tenant g join statement s on s.game = g.game
      and s.stored >= extract(epoch from date_trunc('day', now(), 'UTC'))::bigint * 1000000
      where ${isHere})::float8 as "statementsToday",
    coalesce((${newestOfAll}), 0)::float8 as "lastStored"`
const settings = sql('store_settings')`select name, setting from pg_settings where name = any ($1)`

/** Settings of a server, by name; it may lack some. */
export const settingsOf = async (run: Run, names: readonly string[]): Promise<Map<string, string>> =>
  new Map((await run<{ name: string; setting: string }>(settings, [names])).map(({ name, setting }) => [name, setting]))

/** How many statements were stored today, and when the last one was. */
export const cellStatus = (run: Run) => only(run<CellStatus>(status, []))
