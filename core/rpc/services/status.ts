import type { Store } from '../../store.ts'

/** Figures of the store, and how far its order is behind the clock of the database. */
export async function statusOf({ status }: Store) {
  const [read, tables] = await Promise.all([status.read(), status.tables()])
  const consistentThrough = Math.max(await status.consistentThrough(), read.lastStored)
  const lag = Math.max(0, Math.round((await status.clock()) - consistentThrough))
  const { limit, used, free, waiting } = status.pool()
  return { ...read, tables, consistentThrough, lag, pool: { limit, open: used + free, idle: free, waiting } }
}
