import { savedViews as limits } from '../../../shared/limits.ts'
import { did, done, first, sql, type Database } from '../../process/database/database.ts'
import type { ViewAddress } from '../rules/saved-view.ts'

export interface SavedView extends ViewAddress {
  readonly viewId: string
  readonly name: string
}

const list = sql('saved_view_list')`select uuid as "viewId", name, page, query from saved_view where game = $1
    order by lower(name), id limit ${limits.ofGame}`
const lock = sql('saved_view_lock')`select from game where id = $1 for update`
const add = sql('saved_view_add')`insert into saved_view (game, name, page, query) select $1, $2, $3, $4
    where (select count(*) from saved_view where game = $1) < ${limits.ofGame} returning uuid as "viewId"`
const rename = sql('saved_view_rename')`update saved_view set name = $3 where game = $1 and uuid = $2 returning 1`
const remove = sql('saved_view_delete')`delete from saved_view where game = $1 and uuid = $2 returning 1`

/** Addresses that studios saved, in the directory. */
export const savedViewStore = ({ run, transaction }: Pick<Database, 'run' | 'transaction'>) => ({
  list: (game: number) => run<SavedView>(list, [game]),
  /** Undefined: the game has its most views. */
  add: (game: number, name: string, { page, query }: ViewAddress): Promise<{ viewId: string } | undefined> =>
    transaction(async (run) => {
      await done(run(lock, [game]))
      return first(run<{ viewId: string }>(add, [game, name, page, query]))
    }),
  rename: (game: number, viewId: string, name: string) => did(run(rename, [game, viewId, name])),
  remove: (game: number, viewId: string) => did(run(remove, [game, viewId])),
})
