import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { failureOf } from '../support/failures.ts'
import { addStudio } from '../support/studios.ts'
import { conflict, refused, startGames, successes, type Games, view } from './games.ts'

let { system, fox, owl, newGame } = {} as Games
beforeAll(async () => {
  ;({ system, fox, owl, newGame } = await startGames())
})
afterAll(() => system.close())

describe('creating and deleting', () => {
  test('two creations at 19 games: one wins; a deleted draft makes room and frees its name in addresses', async () => {
    const crow = await addStudio(system, 'Crow')
    const create = (core: number) => crow.on(core).games.createGame({ name: 'Crow game' })
    // they wait for each other, on a slow machine for longer than a call may wait
    for (const cores of [...Array.from({ length: 6 }, () => [0, 1, 0]), [1]]) await Promise.all(cores.map(create))
    const slugs = (await crow.on().games.listGames({})).games.map(({ slug }) => slug)
    expect(new Set(slugs)).toEqual(
      new Set(['crow-game', ...Array.from({ length: 18 }, (_, n) => `crow-game-${n + 2}`)]),
    )
    expect(await successes([0, 1, 0, 1].map((core) => crow.on(core).games.createGame({ name: 'One more' })))).toBe(1)
    expect(await failureOf(crow.on().games.createGame({ name: 'Too many' }))).toEqual(
      refused(Reason.QUOTA_EXCEEDED, { rule: 'limits#games', message: /20 games, drafts included/ }),
    )
    const first = (await crow.on().games.listGames({})).games.find(({ slug }) => slug === 'crow-game')!
    await crow.on().games.deleteGame({ gameId: first.gameId })
    expect(await failureOf(crow.on().games.getGame({ gameId: first.gameId }))).toEqual(refused(Reason.NOT_FOUND))
    const { gameId } = await fox.on().games.createGame({ name: 'Crow game' })
    expect((await view(fox, gameId)).summary!.slug).toBe('crow-game')
    await crow.on().games.createGame({ name: 'Another one' })
    await system.database.sql('update studio set quotas = $2 where id = $1', [crow.id, { games: 21 }])
    expect(await successes([0, 1].map((core) => crow.on(core).games.createGame({ name: 'One more' })))).toBe(1)
  })

  test('what is deleted leaves files to the sweep, and credentials that have ended', async () => {
    const { gameId, buildId } = await newGame(fox, 'Short life')
    const file = randomUUID()
    const [game] = await system.database.sql<{ id: number }>('select id from game where uuid = $1', [gameId])
    const insert = `insert into game_file (uuid, game, kind, file_name, content_type, size, storage_key) values ($1, $2, 'gallery', 'a.png', 'image/png', 5, $3)`
    await system.database.sql(insert, [file, game!.id, `files/${file}`])
    const upload = randomUUID()
    const reserve = `insert into upload (uuid, studio, game, kind, file_name, size, expires) values ($1, $2, $3, 'gallery-image', 'b.png', 5, now() + interval '1 day')`
    await system.database.sql(reserve, [upload, fox.id, game!.id])
    const sandbox = `with t as (insert into game (name, sandbox_of) values ('sandbox', $1) returning id)
      insert into credential (key, game, secret_hash, authority, scopes) select $2, id, '', '', '{}' from t`
    await system.database.sql(sandbox, [game!.id, `sandbox-${gameId}`])
    expect(await view(fox, gameId)).toMatchObject({
      sandboxKey: `sandbox-${gameId}`,
      summary: { cover: `files/${file}` },
    })
    await fox.on().games.submitForReview({ gameId })
    expect(await failureOf(fox.on().games.deleteGame({ gameId }))).toEqual(conflict(/Withdraw it from review/))
    await fox.on().games.withdraw({ gameId })
    await fox.on().games.deleteGame({ gameId })
    const wanted = [`builds/${buildId}/`, `files/${file}`, `uploads/${upload}`]
    const garbage = await system.database.sql<{ key: string }>(
      'select key from garbage where due <= now() and key = any ($1) order by key',
      [wanted],
    )
    expect(garbage.map(({ key }) => key)).toEqual(wanted)
    const [credential] = await system.database.sql(
      'select version, revoked is not null as revoked from credential where key = $1',
      [`sandbox-${gameId}`],
    )
    expect(credential).toEqual({ version: 2, revoked: true })
    expect(await failureOf(fox.on().games.deleteGame({ gameId }))).toEqual(refused(Reason.NOT_FOUND))
  })

  test('studios that take one name at the same time get addresses of their own', async () => {
    const studios = await Promise.all(Array.from({ length: 6 }, () => addStudio(system, 'Twin')))
    const ids = await Promise.all(
      studios.map(async (studio, n) => (await studio.on(n % 2).games.createGame({ name: 'Twins' })).gameId),
    )
    const slugs = await Promise.all(ids.map(async (id, n) => (await view(studios[n]!, id)).summary!.slug))
    expect(slugs.toSorted()).toEqual(['twins', 'twins-2', 'twins-3', 'twins-4', 'twins-5', 'twins-6'])
  })

  test.each([
    ['', 'name', /must not be empty/],
    ['\u200b\u200f ', 'name', /invisible characters, such as U\+200B/],
    ['a\u202eb', 'name', /invisible characters, such as U\+202E/],
    ['a\u0007b', 'name', /control characters/],
    ['x'.repeat(101), 'name', /100 characters at most, but has 101/],
  ])('the name %j is refused', async (name, path, message) => {
    expect(await failureOf(fox.on().games.createGame({ name }))).toEqual(refused(Reason.INVALID, { path, message }))
  })

  test('names without Latin letters have addresses too', async () => {
    const { gameId } = await owl.on().games.createGame({ name: 'Шахматы ♟' })
    const { slug } = (await view(owl, gameId)).summary!
    expect(slug).toMatch(/^game(-\d+)?$/)
    await owl.on().games.updateGame({ gameId, name: 'Owl chess', summary: '', description: '' })
    expect((await view(owl, gameId)).summary!.slug).toBe('owl-chess')
  })
})
