import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { failureOf } from '../support/failures.ts'
import { refused, startGames, type Games, view } from './games.ts'

let { system, fox } = {} as Games
beforeAll(async () => {
  ;({ system, fox } = await startGames())
})
afterAll(() => system.close())

test('files are described and removed, the first image is the cover', async () => {
  const { gameId } = await fox.on().games.createGame({ name: 'Gallery' })
  const [a, b, note] = [randomUUID(), randomUUID(), randomUUID()]
  const insert = `insert into game_file (uuid, game, kind, file_name, content_type, size, storage_key)
    select $1::uuid, id, $2, 'file', 'image/png', 5, 'files/' || $1::uuid from game where uuid = $3`
  for (const [file, kind] of [
    [a, 'gallery'],
    [b, 'gallery'],
    [note, 'teaching-note'],
  ])
    await system.database.sql(insert, [file, kind, gameId])
  await fox.on().games.describeFile({ gameId, fileId: a, text: ' The  board ' })
  const { games } = fox.on(1)
  const order = async () => (await view(fox, gameId)).gallery.map(({ fileId }) => fileId)
  for (const [fileId, later, becomes] of [
    [b, false, [b, a]],
    [b, false, [b, a]],
    [a, true, [b, a]],
    [b, true, [a, b]],
  ] as const) {
    await games.moveFile({ gameId, fileId, later })
    expect(await order()).toEqual(becomes)
  }
  expect((await view(fox, gameId)).teachingNotes.map(({ fileId }) => fileId)).toEqual([note])
  expect(await failureOf(games.moveFile({ gameId, fileId: gameId }))).toEqual(refused(Reason.NOT_FOUND))
  expect(await view(fox, gameId)).toMatchObject({
    summary: { cover: `files/${a}`, coverText: 'The board' },
    teachingNotes: [{ fileId: note }],
  })
  await fox.on().games.removeFile({ gameId, fileId: a })
  const { gallery, summary } = await view(fox, gameId)
  expect([gallery.map(({ fileId }) => fileId), summary!.cover]).toEqual([[b], `files/${b}`])
  expect(
    await system.database.sql('select key from garbage where key = $1 and due <= now()', [`files/${a}`]),
  ).toHaveLength(1)
  expect(await failureOf(fox.on().games.removeFile({ gameId, fileId: a }))).toEqual(refused(Reason.NOT_FOUND))
  expect(await failureOf(fox.on().games.describeFile({ gameId, fileId: b, text: 'x'.repeat(301) }))).toEqual(
    refused(Reason.INVALID, { path: 'text' }),
  )
})
