import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gunzipSync, gzipSync } from 'node:zlib'
import { endAll, temporaryFolder } from '../start/fixtures/launch.ts'
import { takeLock } from '../start/lock.ts'
import { startPostgres } from '../start/postgres.ts'
import { command, done, failed, run, type Said } from './support/admin.ts'
import { databaseAt } from './support/database.ts'

const long = `${'a-folder-with-a-long-name/'.repeat(6)}Größe — 大.bin`
let data: string
let archive: string
let made: Said
/** A store as npm start leaves it when it was killed: a row that only the log of Postgres has. */
beforeAll(async () => {
  data = temporaryFolder()
  archive = join(temporaryFolder(), 'backup.tar.gz')
  const postgres = await startPostgres({ dataDir: join(data, 'postgres') })
  await databaseAt(postgres.url).sql("create table kept as select 'of the backup' as what")
  postgres.kill()
  await postgres.exited
  writeFileSync(join(data, 'secrets.json'), '{"signingKey": "s"}', { mode: 0o600 })
  mkdirSync(join(data, 'storage', long, '..'), { recursive: true })
  mkdirSync(join(data, 'storage', 'empty'))
  writeFileSync(join(data, 'storage', long), Buffer.alloc(100_000, 7))
  made = await command(['backup', archive], { env: { LRS_DATA_DIR: data } }).ended
})
afterAll(endAll)

const kept = async (folder: string) => {
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
  try {
    return await databaseAt(postgres.url).sql('select what from kept')
  } finally {
    await postgres.stop()
  }
}

test('a backup is for its owner only, and any tar can read it', () => {
  expect(made).toEqual(
    done(
      expect.stringMatching(
        /backup\.tar\.gz: [\d,]+ files, [\d.]+ MB, compressed [\d.]+ MB\. It holds learners' data and secrets: keep it safe\.$/,
      ),
    ),
  )
  expect(statSync(archive).mode & 0o777).toBe(0o600)
  const names = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } })
    .replaceAll(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
    .split('\n')
  expect(names).toEqual(
    expect.arrayContaining([
      'postgres/PG_VERSION',
      'postgres/pg_notify/',
      'storage/empty/',
      'secrets.json',
      'manifest.json',
    ]),
  )
  expect(names.some((name) => name.startsWith('storage/a-folder') && name.endsWith('.bin'))).toBe(true)
  expect(names).not.toContain('postgres/postmaster.pid')
})

test('it is restored where there is nothing, and over what is there with --force only', async () => {
  const LRS_DATA_DIR = join(temporaryFolder(), 'new', 'data')
  const env = { LRS_DATA_DIR }
  expect(await command(['restore', archive], { env }).ended).toEqual(
    done(expect.stringMatching(/^Restored [\d,]+ files, [\d.]+ MB, as they were on \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/)),
  )
  expect(await kept(LRS_DATA_DIR)).toEqual([{ what: 'of the backup' }])
  expect(readFileSync(join(LRS_DATA_DIR, 'storage', long))).toEqual(Buffer.alloc(100_000, 7))
  expect(existsSync(join(LRS_DATA_DIR, 'storage', 'empty'))).toBe(true)
  expect(statSync(join(LRS_DATA_DIR, 'secrets.json')).mode & 0o777).toBe(0o600)
  expect(await run(['restore', archive], { env })).toEqual(
    failed(/^There is data already \(.*postgres\): --force moves it aside and restores the backup\.$/),
  )
  writeFileSync(join(LRS_DATA_DIR, 'secrets.json'), '{"signingKey": "later"}')
  const { movedAside } = JSON.parse((await run(['restore', archive, '--force', '--json'], { env })).out)
  expect(
    readFileSync(
      movedAside.find((path: string) => path.includes('secrets.json')),
      'utf8',
    ),
  ).toContain('later')
  expect(readFileSync(join(LRS_DATA_DIR, 'secrets.json'), 'utf8')).toBe('{"signingKey": "s"}')
  expect(await kept(LRS_DATA_DIR)).toEqual([{ what: 'of the backup' }])
  expect(readdirSync(LRS_DATA_DIR).filter((name) => name.includes('restoring'))).toEqual([])
})

test('one that is damaged or cut off changes nothing', async () => {
  const whole = gunzipSync(readFileSync(archive))
  const flipped = Buffer.from(whole)
  flipped[flipped.indexOf(Buffer.alloc(90_000, 7)) + 500]! ^= 1
  const evil = Buffer.from(whole)
  // the name of the first entry, and its checksum: `postgres/` becomes `../stgres/`
  evil.write('../', 0)
  const sum = evil
    .subarray(0, 512)
    .fill(' ', 148, 156)
    .reduce((total, byte) => total + byte, 0)
  evil.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const cases: [string, Buffer, RegExp][] = [
    [
      'flipped',
      gzipSync(flipped, { level: 1 }),
      /^storage\/.*\.bin in .* does not match the manifest: the backup is damaged\. Nothing was changed\.$/,
    ],
    ['cut', readFileSync(archive).subarray(0, -3000), /cut is damaged, or not an archive made by "backup"\.$/],
    ['short', gzipSync(whole.subarray(0, 100_000)), /short is damaged, or not an archive made by "backup"\.$/],
    ['other', gzipSync('x'.repeat(1000)), /other is damaged, or not an archive made by "backup"\.$/],
    [
      'evil',
      gzipSync(evil.subarray(0, 100_000)),
      /^The archive contains "\.\.\/tgres\/?", which a backup never does\.$/,
    ],
    ['text', Buffer.from('hello'), /text is damaged, or not an archive made by "backup"\.$/],
  ]
  for (const [name, bytes, why] of cases) {
    const folder = temporaryFolder()
    writeFileSync(join(folder, name), bytes)
    expect(await run(['restore', join(folder, name)], { env: { LRS_DATA_DIR: join(folder, 'data') } })).toEqual(
      failed(why),
    )
    expect(readdirSync(join(folder, 'data')).filter((name) => name !== 'logs')).toEqual([])
  }
})

test('what is no file is told before anything is started', async () => {
  const folder = temporaryFolder()
  const env = { LRS_DATA_DIR: data }
  expect(await run(['backup', folder, '--force'], { env })).toEqual(failed(/ is a folder\. Name a file\.$/))
  expect(await run(['backup', join(folder, 'no', 'b.tar.gz')], { env })).toEqual(
    failed(/^The folder of .*no\/b\.tar\.gz does not exist\.$/),
  )
  expect(await run(['restore', folder, '--force'], { env })).toEqual(
    failed(/ is a folder\. Name a file that "backup" made\.$/),
  )
  expect(await run(['restore', join(folder, 'b.tar.gz')], { env })).toEqual(failed(/b\.tar\.gz does not exist\.$/))
})

test('nothing is done while npm start runs, or for a Postgres of others', async () => {
  const lock = takeLock(join(data, 'start.lock'))
  try {
    const env = { LRS_DATA_DIR: data }
    for (const args of [['backup', `${archive}.2`], ['restore', archive, '--force'], ['migrate']]) {
      expect(await run(args, { env })).toEqual(
        failed(new RegExp(`^npm start runs on ${data} \\(process ${process.pid}\\): stop it first\\.$`)),
      )
    }
  } finally {
    if ('release' in lock) lock.release()
  }
  expect(await run(['backup', archive], { env: { LRS_DATA_DIR: data } })).toEqual(
    failed(/backup\.tar\.gz exists already: name another file, or overwrite it with --force\.$/),
  )
  expect(await run(['backup'], { env: { DATABASE_URL: 'postgres://x/y' } })).toEqual(
    failed(/^DATABASE_URL is set\. Back up that Postgres with its own tools: see docs\/operating\.md\.$/),
  )
  expect(await run(['backup', `${archive}.3`], { env: { LRS_DATA_DIR: temporaryFolder() } })).toEqual(
    failed(/^There is no database in /),
  )
})
