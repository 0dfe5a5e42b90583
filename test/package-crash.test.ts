import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepStorage } from '../core/games/command/sweep-storage.ts'
import { hashSecret } from '../core/process/secret.ts'
import { openStore } from '../core/store.ts'
import { UploadKind } from '../gen/lrs/v1/uploads_pb.js'
import { eventually } from '../start/fixtures/launch.ts'
import { openStorage } from '../storage/open.ts'
import { startProcesses, type Processes } from './support/processes.ts'
import { signingKey, tokens } from './support/system.ts'
import { openUploads } from './support/uploads.ts'
import { bearer } from './support/xapi.ts'
import { rawZip, type RawEntry } from './support/zip.ts'

let processes: Processes
beforeAll(async () => {
  processes = await startProcesses({ cores: 1, gateways: 0 })
})
afterAll(() => processes.close())

test('core that is killed while it unpacks leaves nothing behind after the sweep, and the upload can be finalized again', async () => {
  const { database, storageFolder } = processes
  const storage = openStorage({ kind: 'local', folder: storageFolder, key: signingKey })
  const [studio] = await database.sql<{ id: number }>(
    `insert into studio (email, password_hash, name, slug) values ('a@example.org', '', 'A', 'a') returning id`,
  )
  await database.sql(`insert into studio_session (hash, studio, expires) values ($1, $2, now() + interval '1 day')`, [
    hashSecret('session'),
    studio!.id,
  ])
  const client = () => processes.connections[0]!.as(bearer(tokens.portal), { 'x-lrs-session': 'session' })
  // folders come and go while they are read
  const files = async (): Promise<number> => {
    try {
      return (await readdir(storageFolder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
        .length
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return files()
      throw error
    }
  }

  const { gameId } = await client().games.createGame({ name: 'Quiz' })
  const zip = rawZip([
    { name: 'index.html' },
    ...Array.from({ length: 600 }, (_, n): RawEntry => ({ name: `f${n}`, content: `${n}`, method: 0 })),
  ])
  const sending = await openUploads(storage)
  const uploadId = await sending.upload(client(), UploadKind.BROWSER_BUILD, 'quiz.zip', zip, gameId)
  const finalized = client()
    .uploads.finalizeUpload({ uploadId })
    .then(
      () => 'ok',
      () => 'broken',
    )
  await eventually(
    async () => (await files()) > 50,
    () => 'unpacking begins',
  )
  await processes.crashCore(0)
  expect(await finalized).toBe('broken')
  expect(await files()).toBeGreaterThan(50)

  const store = openStore({ url: database.url, connections: 2, wait: 2_000, statementTimeout: 10_000 })
  try {
    // the hour in which it could still be wanted is over
    expect(await database.sql(`update garbage set due = now() where key like 'builds/%' returning key`)).toHaveLength(1)
    // core sweeps too, and may have been faster
    await sweepStorage({ store, storage })
    await eventually(
      async () => (await files()) === 1,
      () => 'the end of what was unpacked',
    )
    await database.sql(`update upload set leased = leased - interval '2 minutes'`)
    const { id } = await client().uploads.finalizeUpload({ uploadId })
    // and the list of them
    expect(await files()).toBe(602)
    expect((await client().games.getGame({ gameId })).game!.staged!.buildId).toBe(id)
    await client().games.deleteGame({ gameId })
    await sweepStorage({ store, storage })
    await eventually(
      async () => (await files()) === 0 && (await database.sql('select key from garbage')).length === 0,
      () => 'the end of the game',
    )
  } finally {
    await store.close()
    await sending.close()
  }
})
