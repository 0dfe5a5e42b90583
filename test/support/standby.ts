import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../../start/postgres.ts'
import { eventually } from '../../start/fixtures/launch.ts'
import { databaseAt, type TestDatabase } from './database.ts'
import { databaseUrl, makeTemplate, templateName } from './template.ts'

export type Pair = Awaited<ReturnType<typeof standbyPair>>

/** A Postgres from npm with an asynchronous standby, and what can happen to the standby. */
export async function standbyPair(folder: string) {
  const settings = { max_connections: 100, wal_keep_size: '1GB' }
  const first = await startPostgres({ dataDir: join(folder, 'primary'), durable: false, settings })
  await makeTemplate(first.url)
  await first.stop()
  execFileSync('cp', ['-a', join(folder, 'primary'), join(folder, 'standby')])
  writeFileSync(join(folder, 'standby', 'standby.signal'), '')
  const primary = await startPostgres({ dataDir: join(folder, 'primary'), durable: false, settings })
  // the standby gets through to the socket of its primary
  chmodSync(folder, 0o711)
  const socket = new URL(primary.adminUrl).searchParams.get('host')!
  const start = () =>
    startPostgres({
      dataDir: join(folder, 'standby'),
      durable: false,
      settings: {
        ...settings,
        primary_conninfo: `host=${socket} user=postgres`,
        wal_retrieve_retry_interval: '200ms',
        max_standby_streaming_delay: 0,
      },
    })
  let standby = await start()
  const ask = async (text: string): Promise<Record<string, unknown>[]> => {
    for (;;) {
      try {
        return await databaseAt(databaseUrl(standby.adminUrl, templateName)).sql(text)
      } catch (error) {
        // it waits for no query, so it may cancel one of ours, too
        if ((error as { code?: string }).code !== '40001') throw error
      }
    }
  }
  const onPrimary: TestDatabase = databaseAt(databaseUrl(primary.url, templateName))

  return {
    primary: onPrimary,
    /** A data folder always has the same socket, so the address stays. */
    standby: databaseAt(databaseUrl(standby.url, templateName)),
    pause: () => ask('select pg_wal_replay_pause()'),
    resume: () => ask('select pg_wal_replay_resume()'),
    /** Each commit reaches it so late. */
    async lag(milliseconds: number): Promise<void> {
      await ask(`alter system set recovery_min_apply_delay = ${milliseconds}`)
      await ask('select pg_reload_conf()')
    },
    /** What it reads meanwhile is cancelled: it may not wait for queries. */
    async cancel(times: number): Promise<void> {
      for (let n = 0; n < times; n++) {
        await onPrimary.sql('begin; lock table statement in access exclusive mode; commit')
        await sleep(20)
      }
    },
    /** It falls silent, and its connections stay open. */
    async freeze(milliseconds: number): Promise<void> {
      const rows = await ask('select pid from pg_stat_activity where pid <> pg_backend_pid()')
      const pids = [standby.pid, ...(rows as { pid: number }[]).map(({ pid }) => pid)]
      const signal = (name: NodeJS.Signals): void => {
        for (const pid of pids)
          try {
            process.kill(pid, name)
          } catch {
            // its connection has ended
          }
      }
      signal('SIGSTOP')
      await sleep(milliseconds)
      signal('SIGCONT')
    },
    async kill(): Promise<void> {
      standby.kill()
      await standby.exited
    },
    async revive(): Promise<void> {
      standby = await start()
    },
    /** Resolves when it has all that the primary has now. */
    async caughtUp(): Promise<void> {
      const [row] = await onPrimary.sql<{ lsn: string }>('select pg_current_wal_insert_lsn() as lsn')
      await eventually(
        async () => {
          // without more log the last bytes are not sent at once
          await onPrimary.sql('select txid_current()')
          const [there] = await ask(`select pg_last_wal_replay_lsn() >= '${row!.lsn}' as there`)
          return there!['there'] === true
        },
        () => 'a standby that has caught up',
      )
    },
    async close(): Promise<void> {
      await standby.stop()
      await primary.stop()
    },
  }
}
