import { sql, type Database } from '../../process/database/database.ts'
import { forwardColumns, type Forward } from './forwards.ts'
import { patternOf } from '../../process/database/pattern.ts'

/** A forward with its game, as operators see it. */
export interface OperatedForward extends Forward {
  readonly gameName: string
  /** Null: the game has no studio. */
  readonly studioId: string | null
  readonly studioName: string | null
  /** How many there are, and how many of these are failing. */
  readonly total: number
  readonly failing: number
}

/** Forwards in one list. */
const most = 100
const isFailing = 'not f.paused and f.failures > 0'
const operated = sql('operator_forwards')`
  select ${forwardColumns}, g.name as "gameName", s.uuid as "studioId", s.name as "studioName",
      (count(*) over ())::int as total, (count(*) filter (where ${isFailing}) over ())::int as failing
    from forward f join game g on g.id = f.game left join studio s on s.id = g.studio
    where g.deleted is null and ($1 = '%' or g.name ilike $1 or s.name ilike $1 or f.host ilike $1)
    order by (${isFailing}) desc, f.paused, f.idle, f.through, f.id limit $2`

/** Forwards as operators look at them. */
export const operatedForwardStore = ({ run }: Pick<Database, 'run'>) => ({
  /** Of all games whose name, studio or host has the text: those that fail first. @param text empty: all */
  find: (text: string) => run<OperatedForward>(operated, [patternOf(text), most]),
})
