import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { diskSpaceOf, reserveOf, type DiskSpace } from '../disk-space.ts'

const everyMs = 500
/** So much more than the reserve has to be free before there are writes again. */
const again = 1.25
const setting = 'default_transaction_read_only'

export interface Keeping {
  readonly dataDir: string
  readonly socketDir: string
  /** Bytes; undefined: see reserveOf. */
  readonly reserve: number | undefined
  readonly note: (text: string) => void
}

/**
 * A Postgres that cannot write its log stops, and then nobody reads either. So it takes no more writes while the disk is
 * nearly full, and does again, by itself, when there is room.
 */
export function keepSpace({ dataDir, socketDir, reserve, note }: Keeping): void {
  const look = watchSpace({
    // an earlier start may have ended with a full disk
    isReadOnly: readFileSync(join(dataDir, 'postgresql.auto.conf'), 'utf8').includes(setting),
    reserve,
    measure: () => diskSpaceOf(dataDir),
    async setReadOnly(on) {
      await changeSetting(socketDir, on)
      note(on ? 'the disk is nearly full: no writes until there is room; reads go on' : 'there is room on the disk: writes go on')
    },
  })
  const next = (): void => void look().catch(() => {}).then(() => setTimeout(next, everyMs).unref())
  next()
}

export interface Watching {
  readonly isReadOnly: boolean
  readonly reserve: number | undefined
  readonly measure: () => Promise<DiskSpace>
  /** Tried again at the next look when it fails. */
  readonly setReadOnly: (on: boolean) => Promise<void>
}

/** What has to be done every now and then: measures, and changes the setting when that is called for. */
export function watchSpace({ isReadOnly, reserve, measure, setReadOnly }: Watching): () => Promise<void> {
  let readOnly = isReadOnly
  return async () => {
    const space = await measure()
    const least = reserveOf(space, reserve)
    const wanted = space.free < (readOnly ? least * again : least)
    if (wanted === readOnly) return
    await setReadOnly(wanted)
    readOnly = wanted
  }
}

async function changeSetting(socketDir: string, on: boolean): Promise<void> {
  const { default: pg } = await import('pg')
  const client: Client = new pg.Client({ host: socketDir, port: 5432, user: 'postgres', database: 'postgres', connectionTimeoutMillis: 2000, query_timeout: 5000 })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(on ? `alter system set ${setting} = on` : `alter system reset ${setting}`)
    await client.query('select pg_reload_conf()')
  } finally {
    await client.end()
  }
}
