import { did, sql, type Database } from '../../process/database/database.ts'

/** A game that has a quota for the bytes that it stores with its sandbox. */
export interface GameQuota {
  readonly game: number
  readonly studio: number
  readonly name: string
  /** The sandbox's tenant; null: there is none. */
  readonly sandbox: number | null
  /** Bytes. */
  readonly quota: number
}

const limited = (name: string, where: string) => sql(name)`
  select g.id as game, g.studio, g.name, s.id as sandbox, g.quota::float8 as quota
    from game g left join game s on s.sandbox_of = g.id where g.quota is not null and ${where}`
const limitedAll = limited('game_quotas', 'true')
const limitedOf = limited('game_quotas_of_studio', 'g.studio = $1 and g.deleted is null order by g.id')
const set = sql('game_set_quota')`
  update game set quota = $2 where uuid = $1 and sandbox_of is null and deleted is null returning id`

/** Quotas of bytes; games without one (null in the database) are not listed. */
export function gameQuotaStore({ run, essential }: Pick<Database, 'run' | 'essential'>) {
  return {
    all: () => run<GameQuota>(limitedAll, []),
    of: (studio: number) => run<GameQuota>(limitedOf, [studio]),

    /** False: there is no such game. @param quota bytes; null: no limit */
    set: (gameId: string, quota: number | null) => did(essential(set, [gameId, quota])),
  }
}
