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

/** Keys in storage, or prefixes that end in `/`, that are to be removed. What is due is never wanted again. */
export function garbageStore({ run, essential }: Database) {
  return {
    /** Before something is written there, or when it is no longer wanted. */
    list: async (keys: readonly string[], seconds: number, on: Database['run'] = run): Promise<void> =>
      void (await on(list, [keys, seconds])),
    /** In the transaction that makes it wanted; false: too late, it may be gone. */
    keep: async (key: string, on: Database['run']): Promise<boolean> => (await on(keep, [key])).length === 1,
    /** Makes due what is still listed of these; returns which these are. */
    hasten: async (keys: readonly string[]): Promise<string[]> =>
      (await essential<{ key: string }>(hasten, [keys])).map(({ key }) => key),
    /** Some of what is due, for whoever removes it; another one gets it after ten minutes. */
    claim: async (limit: number): Promise<string[]> =>
      (await essential<{ key: string }>(claim, [limit])).map(({ key }) => key),
    /** It has been removed. */
    gone: async (keys: readonly string[]): Promise<void> => void (await essential(gone, [keys])),
  }
}
