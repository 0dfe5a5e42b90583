import { chmodSync, chownSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { allGone, endAll, launch, postmaster, temporaryFolder } from './fixtures/launch.ts'
import { canReach } from './postgres/account.ts'
import { startPostgres } from './postgres.ts'
import { connectionTo } from '../test/support/database.ts'

afterAll(endAll)

const holder = join(import.meta.dirname, 'fixtures', 'hold-postgres.ts')
const isRoot = process.getuid?.() === 0
const nobody = { uid: 65534, gid: 65534 }

async function ask(url: string, sql: string): Promise<unknown> {
  const client = await connectionTo(url)
  try {
    return Object.values((await client.query(sql)).rows[0] ?? {})[0]
  } finally {
    await client.end()
  }
}

async function hold(dataDir: string, options = {}) {
  const launched = launch(process.execPath, [holder, dataDir], options)
  await launched.says('\n')
  return { launched, ...(JSON.parse(launched.output()) as { pid: number; guardPid: number; url: string }) }
}

/** Of those tests that do not ask for a new one: to make it takes longest. */
const kept = join(temporaryFolder(), 'postgres')

describe('Postgres from npm', () => {
  test('keeps its data over a stop, speaks UTF-8 in UTC, and its role is no superuser', async () => {
    const dataDir = join(temporaryFolder(), 'postgres')
    const first = await startPostgres({ dataDir, durable: true })
    expect(first.fresh).toBe(true)
    await ask(first.url, 'CREATE TABLE kept AS SELECT 7 AS x')
    expect(await ask(first.url, 'SHOW server_encoding')).toBe('UTF8')
    expect(await ask(first.url, 'SHOW timezone')).toBe('UTC')
    expect(await ask(first.url, 'SHOW fsync')).toBe('on')
    expect(await ask(first.url, 'SELECT rolsuper FROM pg_roles WHERE rolname = current_user')).toBe(false)
    expect(await ask(first.adminUrl, 'SELECT rolsuper FROM pg_roles WHERE rolname = current_user')).toBe(true)
    await first.stop()
    await allGone([first.pid, first.guardPid], 20_000)

    const second = await startPostgres({ dataDir, settings: { max_connections: 21 } })
    expect(second.fresh).toBe(false)
    expect(await ask(second.url, 'SELECT x FROM kept')).toBe(7)
    expect(await ask(second.url, 'SHOW max_connections')).toBe('21')
    await second.stop()
  })

  test('ends when the process that started it is killed', async () => {
    const { launched, pid, guardPid } = await hold(kept)
    launched.process.kill('SIGKILL')
    await allGone([pid, guardPid], 5000)
  })

  test('left behind by a killed guard and parent, is ended by the next start, which says so', async () => {
    const { launched, pid, guardPid, url } = await hold(kept)
    await ask(url, 'CREATE TABLE found AS SELECT 7 AS x')
    process.kill(guardPid, 'SIGKILL')
    launched.process.kill('SIGKILL')
    await allGone([guardPid], 1000)
    expect(postmaster(kept)).toBe(pid)
    const notes: string[] = []
    const next = await startPostgres({ dataDir: kept, durable: false, onNote: (text) => notes.push(text) })
    expect(notes).toEqual([`stopped the one that an earlier start left behind (process ${pid})`])
    await allGone([pid], 0)
    expect(await ask(next.url, 'SELECT x FROM found')).toBe(7)
    await next.stop()
  })

  test('starts on the folder of a killed server, though its number belongs to another process by now', async () => {
    const { launched, pid, guardPid } = await hold(kept)
    process.kill(pid, 'SIGKILL')
    launched.process.kill('SIGKILL')
    await allGone([pid, guardPid], 3000)
    const lines = `${process.pid}\n${kept}\n1\n5432\n.\n\n\nready\n`
    writeFileSync(join(kept, 'postmaster.pid'), lines)
    writeFileSync(join(kept, '.s.PGSQL.5432.lock'), lines)
    writeFileSync(`${kept}.lock`, `${process.pid} 1`)
    const next = await startPostgres({ dataDir: kept, durable: false })
    await next.stop()
  })

  test('works where the path is too long for a socket, and below a folder that only we may enter', async () => {
    const closed = join(temporaryFolder(), 'closed')
    mkdirSync(closed, { mode: 0o700 })
    const dataDir = join(closed, 'ü b'.repeat(30), 'postgres')
    const server = await startPostgres({ dataDir, durable: false })
    expect(await ask(server.url, 'SELECT 1')).toBe(1)
    expect(statSync(new URL(server.url).searchParams.get('host')!).mode & 0o777).toBe(0o700)
    await server.stop()
  })

  test('refuses a folder that holds something else, or the data of another version', async () => {
    const dataDir = temporaryFolder()
    await expect(startPostgres({ dataDir })).rejects.toThrow('holds no database')
    writeFileSync(join(dataDir, 'PG_VERSION'), '12\n')
    await expect(startPostgres({ dataDir })).rejects.toThrow('was made by Postgres 12 and this is Postgres 18')
  })

  test.runIf(isRoot && canReach(import.meta.dirname, nobody))('runs as a plain user too', async () => {
    const folder = temporaryFolder()
    chownSync(folder, nobody.uid, nobody.gid)
    const dataDir = join(folder, 'postgres')
    const { launched, pid } = await hold(dataDir, { ...nobody, cwd: folder })
    expect(statSync(dataDir).uid).toBe(nobody.uid)
    launched.process.kill('SIGTERM')
    expect(await launched.exited).toBe(0)
    await allGone([pid], 0)
    expect(existsSync(join(dataDir, 'postmaster.pid'))).toBe(false)
    chmodSync(folder, 0o755)
    chownSync(dataDir, 1, 1)
    const refused = launch(process.execPath, [holder, dataDir], { ...nobody, cwd: folder })
    await refused.says('belongs to another user (1)')
  })
})
