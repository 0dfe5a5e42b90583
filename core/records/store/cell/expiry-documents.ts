import type { Key } from '../../xapi/identify.ts'
import { scalar, sql, type Database } from '../../../process/database/database.ts'
import { addExpired } from './expiry-counts.ts'

// state documents are of a game; agent profiles go with learners whom the player made for this game
const documentsOf = sql('expiry_documents')`with gone as (
      delete from document where agent = any ($2::uuid[]) and (game = $1 and activity is not null
        or activity is null and agent = any ($3::uuid[])) returning 1)
    select count(*)::int as count from gone`
/** Not those that the studio wrote for the game. */
const ofLearners = `activity is distinct from ''`
const oldDocuments = sql('expiry_old_documents')`with gone as (
      delete from document where ctid = any (array(
        select ctid from document where game = $1 and updated < $2 and ${ofLearners} limit $3)) returning 1)
    select count(*)::int as count from gone`
const countDocuments = sql('expiry_count_documents')`
  select count(*)::int as count from document where game = $1 and agent = any ($2::uuid[]) and activity is not null`
const countOldDocuments = sql('expiry_count_old_documents')`
  select count(*)::int as count from document where game = $1 and updated < $2 and ${ofLearners}`

/** Documents of a game that have been kept long enough. They are in no cell. */
export function expiryDocuments({ run, transaction }: Pick<Database, 'run' | 'transaction'>) {
  return {
    /** Removes the documents of learners. @param areMade the player made their accounts, for this game */
    removeOf: (id: string, game: number, actors: readonly Key[], areMade: boolean): Promise<void> =>
      transaction(async (run) => {
        const [gone] = await run<{ count: number }>(documentsOf, [game, actors, areMade ? actors : []])
        await addExpired(run, id, game, true, { documents: gone!.count })
      }),

    /** Removes at most `limit` documents of a game that were last changed before; returns how many. */
    removeOld: (id: string, game: number, before: number, limit: number): Promise<number> =>
      transaction(async (run) => {
        const [gone] = await run<{ count: number }>(oldDocuments, [game, before, limit])
        await addExpired(run, id, game, true, { documents: gone!.count })
        return gone!.count
      }),

    countOf: (game: number, keys: readonly Key[]) => scalar<number>(run(countDocuments, [game, keys])),
    countOld: (game: number, before: number) => scalar<number>(run(countOldDocuments, [game, before])),
  }
}
