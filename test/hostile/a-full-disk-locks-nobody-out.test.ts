import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { eventually } from '../../start/fixtures/launch.ts'
import { localStorage } from '../../storage/local.ts'
import { attachment, contentPart, jsonPart, multipart, multipartType } from '../support/attachments.ts'
import type { Game } from '../support/games.ts'
import { MiB, mounted, reserve, startOnSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { statement } from '../support/statements.ts'
import { addStudio, type Studio } from '../support/studios.ts'
import { signingKey, tokens } from '../support/system.ts'
import { openUploads, type Uploads } from '../support/uploads.ts'
import { bearer } from '../support/xapi.ts'

let disk: SmallDisk
let uploads: Uploads
let game: Game
let studio: Studio
const account = { email: 'in@example.org', password: 'a password of the tests', senderIp: '192.0.2.7' }
const accounts = () => disk.connections[0]!.as(bearer(tokens.portal)).accounts

beforeAll(async () => {
  if (!mounted) return
  disk = await startOnSmallDisk({ LRS_UPLOAD_RESERVE: `${2 * reserve}` })
  uploads = await openUploads(
    localStorage({ kind: 'local', folder: disk.storageFolder, key: signingKey, reserve, uploadReserve: 2 * reserve }),
  )
  game = await disk.game()
  await accounts().signUp({ ...account, studioName: 'In' })
})
beforeEach(async () => {
  if (!mounted) return
  disk.clear()
  await eventually(
    async () => (await writes()) === 200,
    () => 'room',
  )
  studio = await addStudio(disk, 'Fill')
})
afterAll(async () => {
  await uploads?.close()
  await disk?.close()
})

const writes = async () => (await game.xapi().post(statement())).status

/** Stores data until it is refused; returns the status of the refusal. */
async function until(takes: () => Promise<number>): Promise<number> {
  for (let n = 0; n < 400; n++) {
    const status = await takes()
    if (status >= 300) return status
  }
  return 0
}

const attaches = async () => {
  const content = randomBytes(2 * MiB)
  const body = multipart([jsonPart(statement({ attachments: [attachment(content)] })), contentPart(content)])
  return (await game.xapi().request('POST', 'statements', { body, headers: { 'content-type': multipartType } })).status
}
const saves = async () => {
  const agent = { account: { homePage: 'https://games.example.org', name: randomUUID() } }
  const query = { activityId: 'https://games.example.org/a', agent, stateId: 's' }
  return (
    await game.xapi().request('PUT', 'activities/state', {
      query,
      body: randomBytes(500 * 1024),
      headers: { 'content-type': 'application/octet-stream' },
    })
  ).status
}

test.runIf(mounted)('uploads that fill the disk are refused, and games write on', async () => {
  const { gameId } = await studio.on().games.createGame({ name: 'Fill' })
  disk.fill(2 * reserve + 40 * MiB)
  const refused = await until(async () => {
    const size = 12 * MiB
    return uploads.upload(studio.on(), UploadKind.DESKTOP_BUILD, 'game.AppImage', Buffer.alloc(size, 1), gameId).then(
      () => 200,
      () => 507,
    )
  })
  expect([refused, await writes()]).toEqual([507, 200])
  expect(disk.free()).toBeGreaterThan(1.5 * reserve)
})

for (const [what, takes, tags] of [
  ['attachments', attaches, 'long'],
  ['state documents of random agents', saves, []],
] as const)
  test.runIf(mounted)(
    `a disk full of ${what}: everybody can sign in and out, uploads can be cancelled and are swept, and with room games write on`,
    { tags: [tags].flat() },
    async () => {
      const { gameId } = await studio.on().games.createGame({ name: 'Cancel' })
      const size = 24 * MiB
      const ids = []
      for (const n of [1, 2])
        ids.push(
          await uploads.upload(studio.on(), UploadKind.DESKTOP_BUILD, 'game.AppImage', Buffer.alloc(size, n), gameId),
        )
      disk.fill(reserve + 20 * MiB)
      expect(await until(takes)).toBe(503)
      disk.fill(0.75 * reserve)
      await eventually(
        async () => (await writes()) === 503,
        () => 'no writes',
      )

      const { session } = await accounts().signIn(account)
      await disk.connections[0]!.as(bearer(tokens.portal), { 'x-lrs-session': session }).accounts.signOut({})
      const before = disk.free()
      await studio.on().uploads.cancelUpload({ uploadId: ids[0]! })
      expect(disk.free() - before).toBeGreaterThan(size * 0.9)
      // the other one is over; a core sweeps when it starts, and every half minute
      await disk.database.sql(`begin read write; update upload set expires = now(); commit`)
      await disk.crashCore(0)
      // nobody else made room
      await eventually(
        async () => (await writes()) === 200,
        () => 'writes again',
      )
      expect(disk.log()).not.toMatch(/PANIC|FATAL/)
    },
  )
