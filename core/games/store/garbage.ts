import { column, did, done, sql, type Database, type Run } from '../../process/database/database.ts'
import { leases } from '../../records/store/leases.ts'

const list = sql('garbage_list')`
  insert into garbage (key, due) select key, now() + make_interval(secs => $2) from unnest($1::text[]) key
    on conflict (key) do update set due = excluded.due`
const keep = sql('garbage_keep')`delete from garbage where key = $1 and due > now() returning key`
const lease = sql('garbage_lease')`
  ${leases('garbage', { key: 'key' }).take({ due: 't.due <= now()', order: 't.due', most: '$2' })} returning key`
const hasten = sql('garbage_hasten')`update garbage set due = now() where key = any ($1) returning key`
const gone = sql('garbage_gone')`delete from garbage where key = any ($1) and due <= now()`

/** Keys in storage, or prefixes that end in `/`, that are to be removed. A key that is due is never used again. */
export function garbageStore({ run, essential }: Database) {
  return {
    /** Lists keys that are due in `seconds`: before something is written there, or when it is no longer needed. */
    list: (keys: readonly string[], seconds: number, on: Run = run) => done(on(list, [keys, seconds])),
    /** Takes a key off the list, in the transaction that starts to use it; false: it is due, and may be removed. */
    keep: (key: string, on: Run) => did(on(keep, [key])),
    /** Makes those of the keys that are listed due now, and returns them. */
    hasten: (keys: readonly string[]) => column<string>(essential(hasten, [keys])),
    /** Takes keys that are due, in order to remove them. */
    lease: (seconds: number, most: number) => column<string>(essential(lease, [seconds, most])),
    /** Takes keys off the list after they were removed. */
    gone: (keys: readonly string[]) => done(essential(gone, [keys])),
  }
}
