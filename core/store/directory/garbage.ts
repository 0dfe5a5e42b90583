import type { Database } from '../database.ts'

const list = {
  name: 'garbage_list',
  text: `insert into garbage (key, due) select key, now() + make_interval(secs => $2) from unnest($1::text[]) key
    on conflict (key) do update set due = excluded.due`,
}
const keep = { name: 'garbage_keep', text: 'delete from garbage where key = $1 and due > now() returning key' }
const claim = {
  name: 'garbage_claim',
  // an array, because a join could run a subquery with LIMIT and SKIP LOCKED once for each row
  text: `update garbage set claimed = now() where key = any (array(
      select key from garbage where due <= now() and (claimed is null or claimed < now() - interval '10 minutes')
      order by due limit $1 for update skip locked))
    returning key`,
}
const hasten = { name: 'garbage_hasten', text: 'update garbage set due = now() where key = any ($1) returning key' }
const gone = { name: 'garbage_gone', text: 'delete from garbage where key = any ($1) and due <= now()' }

/** Keys in storage, or prefixes that end in `/`, that are to be removed. A key that is due is never used again. */
export function garbageStore({ run, essential }: Database) {
  return {
    /** Lists keys that are due in `seconds`: before something is written there, or when it is no longer needed. */
    list: async (keys: readonly string[], seconds: number, on: Database['run'] = run): Promise<void> =>
      void (await on(list, [keys, seconds])),
    /** Takes a key off the list, in the transaction that starts to use it; false: it is due, and may be removed. */
    keep: async (key: string, on: Database['run']): Promise<boolean> => (await on(keep, [key])).length === 1,
    /** Makes those of the keys that are listed due now, and returns them. */
    hasten: async (keys: readonly string[]): Promise<string[]> =>
      (await essential<{ key: string }>(hasten, [keys])).map(({ key }) => key),
    /** Claims keys that are due, in order to remove them. Ten minutes later another core may claim them. */
    claim: async (limit: number): Promise<string[]> =>
      (await essential<{ key: string }>(claim, [limit])).map(({ key }) => key),
    /** Takes keys off the list after they were removed. */
    gone: async (keys: readonly string[]): Promise<void> => void (await essential(gone, [keys])),
  }
}
