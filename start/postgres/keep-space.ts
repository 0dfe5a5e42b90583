import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { diskSpaceOf, reserveOf, type DiskSpace } from '../../shared/process/disk-space.ts'

const everyMs = 500
/** Writes resume at this multiple of the free space that stopped them. */
const again = 1.25
/** Below this part of the reserve all writes are refused. */
const last = 1 / 4

/** `essential`: signing in and clean-up, in transactions marked read write (core/process/database/database.ts). */
export type Writes = 'all' | 'essential' | 'none'

const settings = (writes: Writes): Record<string, boolean> => ({
  default_transaction_read_only: writes !== 'all',
  'games_lrs.disk_full': writes === 'none',
})
/** The state that an earlier start left in the configuration. */
const writesIn = (file: string): Writes =>
  file.includes("games_lrs.disk_full = 'on'")
    ? 'none'
    : file.includes("default_transaction_read_only = 'on'")
      ? 'essential'
      : 'all'
const notes: Record<Writes, string> = {
  all: 'there is room on the disk: writes go on',
  essential: 'the disk is nearly full: until there is room, only signing in and clean-up may write; reads go on',
  none: 'the disk is full: all writes are refused until there is room; reads go on',
}

export interface Keeping {
  readonly dataDir: string
  readonly socketDir: string
  /** Bytes; undefined: see reserveOf. */
  readonly reserve: number | undefined
  readonly note: (text: string) => void
}

/**
 * Postgres stops when it cannot write its log, and then reads fail, too. So this stops writes while the disk is nearly
 * full, and allows them again when there is room.
 */
export function keepSpace({ dataDir, socketDir, reserve, note }: Keeping): void {
  const look = watchSpace({
    // an earlier start may have ended with a full disk
    writes: writesIn(readFileSync(join(dataDir, 'postgresql.auto.conf'), 'utf8')),
    reserve,
    measure: () => diskSpaceOf(dataDir),
    async set(writes) {
      await change(socketDir, settings(writes))
      note(notes[writes])
    },
  })
  const next = (): void =>
    void look()
      .catch(() => {})
      .then(() => setTimeout(next, everyMs).unref())
  next()
}

export interface Watching {
  /** The state at the start. */
  readonly writes: Writes
  readonly reserve: number | undefined
  readonly measure: () => Promise<DiskSpace>
  /** If it fails, the next measurement tries again. */
  readonly set: (writes: Writes) => Promise<void>
}

/** Returns a function to be called regularly: it measures, and changes the setting when necessary. */
export function watchSpace({ writes: first, reserve, measure, set }: Watching): () => Promise<void> {
  let writes = first
  return async () => {
    const space = await measure()
    const least = reserveOf(space, reserve)
    const none = space.free < least * last * (writes === 'none' ? again : 1)
    const wanted = none ? 'none' : space.free < least * (writes === 'all' ? 1 : again) ? 'essential' : 'all'
    if (wanted === writes) return
    await set(wanted)
    writes = wanted
  }
}

async function change(socketDir: string, settings: Readonly<Record<string, boolean>>): Promise<void> {
  const { default: pg } = await import('pg')
  const client: Client = new pg.Client({
    host: socketDir,
    port: 5432,
    user: 'postgres',
    database: 'postgres',
    connectionTimeoutMillis: 2000,
    query_timeout: 5000,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    for (const [name, on] of Object.entries(settings))
      await client.query(`alter system set ${name} = ${on ? 'on' : 'off'}`)
    await client.query('select pg_reload_conf()')
  } finally {
    await client.end()
  }
}
