import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepStorage } from '../../core/games/command/sweep-storage.ts'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { GameState } from '../../gen/lrs/v1/games_pb.js'
import { UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { failureOf } from '../support/failures.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { addStudio, type Studio } from '../support/studios.ts'

let system: PortalSystem
let fox: Studio
let owl: Studio
let reviewer: Studio
beforeAll(async () => {
  system = await startPortalSystem()
  ;[fox, owl, reviewer] = await Promise.all([
    addStudio(system, 'Blue Fox'),
    addStudio(system, 'Owl'),
    addStudio(system, 'Lynx', { reviewer: true }),
  ])
})
afterAll(() => system.close())

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const image = (gameId: string, name = 'a.png') => system.upload(fox, UploadKind.GALLERY_IMAGE, name, png, gameId)
const view = async (gameId: string, studio = fox) => (await studio.on().games.getGame({ gameId })).game!
/** The portal's answer to a visitor who knows the address of a file. */
const media = async (fileId: string, visitor?: Studio) => {
  const { status, headers } = await fetch(`${system.url}/media/files/${fileId}`, {
    headers: visitor ? { cookie: `session=${visitor.session}` } : {},
  })
  return status === 200 ? headers.get('cache-control')!.split(',')[0] : status
}
const [shown, own, hidden] = ['public', 'private', 404]
const html = async (path: string) => (await fetch(system.url + path)).text()
const decide = async (
  gameId: string,
  approved: boolean,
  { page, by = reviewer }: { page?: number; by?: Studio } = {},
) => {
  const game = await view(gameId, by)
  return by.on().games.decideReview({
    gameId,
    buildId: (game.staged ?? game.live)!.buildId,
    page: page ?? game.page,
    approved,
    note: 'Not for children.',
  })
}

/** A published game with an image, a second one and a teaching note. */
async function published(name: string) {
  // uploads of the tests before do not count
  await system.database.sql('delete from portal_window')
  const gameId = await system.draft(fox, name)
  const first = await image(gameId)
  const second = await image(gameId, 'b.png')
  const note = await system.upload(fox, UploadKind.TEACHING_NOTE, 'Lesson.md', Buffer.from('# Lesson'), gameId)
  await fox.on().games.submitForReview({ gameId })
  await decide(gameId, true)
  const { slug } = (await view(gameId)).summary!
  const seen = async () => {
    const { game, ...page } = await system.admin.games.getPublishedGame({ slug })
    const listed = (await system.admin.games.listPublishedGames({})).games.find((listed) => listed.gameId === gameId)
    const inShort = [game, listed].map((one) => [one!.name, one!.summary, one!.cover, one!.coverText])
    return JSON.stringify([inShort, page], (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  }
  return { gameId, slug, first, second, note, seen }
}

/** Everything that a studio can change of a page. */
async function change({ gameId, first, second, note }: Awaited<ReturnType<typeof published>>) {
  const { games } = fox.on()
  await games.updateGame({ gameId, name: 'Casino', summary: 'Win money!', description: 'Send us your address.' })
  await games.moveFile({ gameId, fileId: first, later: true })
  await games.describeFile({ gameId, fileId: second, text: 'Cards' })
  await games.removeFile({ gameId, fileId: first })
  await games.removeFile({ gameId, fileId: note })
  return image(gameId, 'casino.png')
}

test('name, texts and files stay as they were accepted, until a reviewer accepts others', async () => {
  const game = await published('Star Trail')
  const { gameId, slug, first, note, seen } = game
  const before = await seen()
  const added = await change(game)
  await sweepStorage(system.cores[0]!)

  expect(await seen()).toBe(before)
  for (const path of ['/', `/g/${slug}`, `/play/${slug}`, `/studios/${fox.slug}`])
    expect([path, await html(path)]).toEqual([
      path,
      expect.stringMatching(/^(?![^]*Casino)(?![^]*Win money)[^]*Star Trail/),
    ])
  expect([await media(first), await media(note)]).toEqual([shown, shown])
  expect([await media(added), await media(added, owl), await media(added, reviewer), await media(added, fox)]).toEqual([
    hidden,
    hidden,
    hidden,
    own,
  ])
  expect(await view(gameId)).toMatchObject({
    summary: { name: 'Casino', state: GameState.UPDATE_STAGED },
    changed: true,
    accepted: { name: 'Star Trail' },
    gallery: [{ text: 'Cards' }, { fileId: added }],
  })

  await fox.on().games.submitForReview({ gameId, message: 'Better now' })
  expect(
    (await reviewer.on().games.listReviews({})).reviews.find((waiting) => waiting.game!.gameId === gameId),
  ).toMatchObject({ game: { name: 'Casino' }, review: { message: 'Better now' } })
  expect([await media(added, reviewer), await media(added)]).toEqual([own, hidden])
  expect(await failureOf(owl.on().games.getGame({ gameId }))).toMatchObject({ reason: Reason.NOT_FOUND })
  expect(await seen()).toBe(before)

  expect((await decide(gameId, true)).state).toBe(GameState.PUBLISHED)
  expect(await seen()).toMatch(/Casino.*Casino/)
  expect([await media(added), await media(first), await media(note, fox)]).toEqual([shown, hidden, hidden])
  await sweepStorage(system.cores[0]!)
  const { storage } = system.cores[0]!
  expect([
    await storage.open(`files/${first}`),
    await storage.open(`files/${note}`),
    (await storage.open(`files/${added}`))!.size,
  ]).toEqual([undefined, undefined, png.length])
  expect(await view(gameId)).toMatchObject({ changed: false, allowed: ['withdraw', 'upload', 'sandbox', 'reveal'] })
})

test('edits after the reviewer looked are not accepted by accident', async () => {
  const { gameId, seen } = await published('Fair Play')
  const before = await seen()
  const { games } = fox.on()
  await games.updateGame({ gameId, name: 'Fair Play 2', summary: 'Harmless', description: '' })
  await games.submitForReview({ gameId })
  const { page } = await view(gameId, reviewer)
  await games.updateGame({ gameId, name: 'Casino', summary: 'Win money!', description: '' })
  for (const looked of [page, 0])
    expect(await failureOf(decide(gameId, true, { page: looked }))).toMatchObject({
      reason: Reason.CONFLICT,
      message: expect.stringMatching(/have changed/),
    })
  expect(await seen()).toBe(before)
  expect(await failureOf(decide(gameId, true, { by: fox }))).toMatchObject({ reason: Reason.FORBIDDEN })
  expect((await decide(gameId, false)).state).toBe(GameState.UPDATE_REJECTED)
  expect(await seen()).toBe(before)
  expect((await view(gameId)).reviews[0]).toMatchObject({ approved: false, note: 'Not for children.' })
})

test('a first submission is also decided as the reviewer saw it', async () => {
  const gameId = await system.draft(fox, 'Newcomer')
  await fox.on().games.submitForReview({ gameId })
  const { page } = await view(gameId, reviewer)
  await fox.on().games.updateGame({ gameId, name: 'Casino', summary: 'Win money!', description: '' })
  expect(await failureOf(decide(gameId, true, { page }))).toMatchObject({ reason: Reason.CONFLICT })
  const newcomer = await addStudio(system, 'Newcomer')
  const other = await system.draft(newcomer, 'Newcomer')
  await newcomer.on().games.submitForReview({ gameId: other })
  const { page: looked } = await view(other, reviewer)
  await newcomer.on().accounts.updateStudio({ name: 'Casino', about: '', website: '' })
  expect(await failureOf(decide(other, true, { page: looked }))).toMatchObject({
    reason: Reason.CONFLICT,
    message: expect.stringContaining('profile'),
  })
})

test('discarding restores the accepted page, and no more files than the quota', async () => {
  const game = await published('Back and Forth')
  const { gameId, first, second, note, seen } = game
  const before = await seen()
  const added = await change(game)
  await fox.on().games.submitForReview({ gameId })
  await fox.on().games.discardChanges({ gameId })
  const back = await view(gameId)
  expect(back).toMatchObject({
    summary: { name: 'Back and Forth', state: GameState.PUBLISHED },
    changed: false,
    gallery: [{ fileId: first }, { fileId: second }],
    teachingNotes: [{ fileId: note }],
  })
  expect(back.reviews[0]).toMatchObject({ withdrawn: true })
  await sweepStorage(system.cores[0]!)
  expect([(await seen()) === before, await media(added, fox), await media(first)]).toEqual([true, hidden, shown])
  // restoring the page by hand is the same
  const { games } = fox.on()
  await games.moveFile({ gameId, fileId: first, later: true })
  expect((await view(gameId)).summary!.state).toBe(GameState.UPDATE_STAGED)
  await games.moveFile({ gameId, fileId: second, later: true })
  expect(await view(gameId)).toMatchObject({ summary: { state: GameState.PUBLISHED }, changed: false })

  await system.database.sql('update studio set quotas = $2 where id = $1', [fox.id, { galleryImages: 2 }])
  await games.removeFile({ gameId, fileId: first })
  const { upload } = await fox
    .on()
    .uploads.requestUpload({ gameId, kind: UploadKind.GALLERY_IMAGE, fileName: 'c.png', size: BigInt(png.length) })
  await fetch(new URL(upload!.missing[0]!.url, system.url), { method: 'PUT', body: new Uint8Array(png) })
  await games.discardChanges({ gameId })
  expect(await failureOf(fox.on().uploads.finalizeUpload({ uploadId: upload!.uploadId }))).toMatchObject({
    reason: Reason.QUOTA_EXCEEDED,
  })
  await system.database.sql(`update studio set quotas = '{}' where id = $1`, [fox.id])
  expect(await failureOf(games.discardChanges({ gameId: await system.draft(fox, 'New') }))).toMatchObject({
    reason: Reason.CONFLICT,
  })
  expect(await failureOf(owl.on().games.discardChanges({ gameId }))).toMatchObject({ reason: Reason.NOT_FOUND })
})

test('changes of a trusted studio are public at once, except builds, until the trust ends', async () => {
  const { accounts } = system.admin
  expect(await failureOf(fox.on().accounts.setTrusted({ email: fox.email, trusted: true }))).toMatchObject({
    reason: Reason.FORBIDDEN,
  })
  const { gameId, first, seen } = await published('Trusted')
  await accounts.setTrusted({ email: fox.email, trusted: true })
  try {
    await fox.on().games.updateGame({ gameId, name: 'Trusted 2', summary: 'At once', description: '' })
    await fox.on().games.removeFile({ gameId, fileId: first })
    expect(await seen()).toMatch(/Trusted 2.*Trusted 2/)
    expect([await media(first), (await view(gameId)).summary!.state]).toEqual([hidden, GameState.PUBLISHED])
    const buildId = await system.upload(
      fox,
      UploadKind.DESKTOP_BUILD,
      'quiz.tar.gz',
      Buffer.concat([Buffer.from('1f8b0800', 'hex'), Buffer.alloc(600)]),
      gameId,
    )
    expect(await view(gameId)).toMatchObject({ summary: { state: GameState.UPDATE_STAGED }, staged: { buildId } })
  } finally {
    await accounts.setTrusted({ email: fox.email, trusted: false })
  }
  await fox.on().games.updateGame({ gameId, name: 'Casino', summary: 'Win money!', description: '' })
  expect(await seen()).not.toContain('Casino')
})

test('name, texts and logo of a studio with a published game stay as they were accepted, until a reviewer accepts others', async () => {
  const crow = await addStudio(system, 'Crow')
  const { accounts } = crow.on()
  const logo = async () => {
    await system.upload(crow, UploadKind.LOGO, 'logo.png', png)
    return (await accounts.getAccount({})).studio!.logo.slice('files/'.length)
  }
  const publicly = async () =>
    JSON.stringify([
      (await system.admin.accounts.getPublicStudio({ slug: crow.slug })).studio,
      (await system.admin.games.listPublishedGames({ studioSlug: crow.slug })).games[0]?.studioName,
    ])
  const [first, second] = [await logo(), await logo()]
  await accounts.updateStudio({ name: 'Crow', about: 'Games', website: '' })
  expect([await media(first, crow), await media(second)]).toEqual([hidden, shown])
  await system.publish(crow, 'Nest')

  const before = await publicly()
  await accounts.updateStudio({ name: 'Gambling Den', about: 'Win money!', website: 'https://den.example' })
  const third = await logo()
  await sweepStorage(system.cores[0]!)
  expect(await publicly()).toBe(before)
  for (const path of ['/', '/g/nest', `/studios/${crow.slug}`])
    expect([path, await html(path)]).toEqual([path, expect.not.stringContaining('Gambling')])
  expect([
    await media(second),
    await media(third),
    await media(third, owl),
    await media(third, crow),
    await media(third, reviewer),
  ]).toEqual([shown, hidden, hidden, own, own])
  expect(await accounts.getAccount({})).toMatchObject({
    changed: true,
    waiting: true,
    studio: { name: 'Gambling Den' },
    accepted: { name: 'Crow' },
  })

  const waiting = async () =>
    (await reviewer.on().games.listReviews({})).profiles.find(({ studio }) => studio!.slug === crow.slug)!
  const { profile, studio } = await waiting()
  const decision = { studioId: studio!.studioId, profile, approved: true, note: '' }
  await accounts.updateStudio({ name: 'Casino Royale', about: '', website: '' })
  expect(await failureOf(reviewer.on().accounts.decideProfile(decision))).toMatchObject({ reason: Reason.CONFLICT })
  expect(await failureOf(owl.on().accounts.decideProfile(decision))).toMatchObject({ reason: Reason.FORBIDDEN })
  const again = { ...decision, profile: (await waiting()).profile }
  expect(await failureOf(reviewer.on().accounts.decideProfile({ ...again, approved: false }))).toMatchObject({
    path: 'note',
  })
  await reviewer.on().accounts.decideProfile({ ...again, approved: false, note: 'Not for children.' })
  expect([(await publicly()) === before, await waiting()]).toEqual([true, undefined])
  expect(await accounts.getAccount({})).toMatchObject({ changed: true, waiting: false, note: 'Not for children.' })

  // approving another game does not accept the profile
  await system.publish(crow, 'Egg')
  await sweepStorage(system.cores[0]!)
  expect([
    await media(second),
    (await system.admin.accounts.getPublicStudio({ slug: crow.slug })).studio!.name,
  ]).toEqual([shown, 'Crow'])

  await accounts.discardProfileChanges({})
  expect([(await publicly()) === before, await media(third, crow), (await accounts.getAccount({})).changed]).toEqual([
    true,
    hidden,
    false,
  ])
  await accounts.updateStudio({ name: 'Raven', about: '', website: '' })
  await accounts.removeLogo({})
  expect(await media(second)).toBe(shown)
  await reviewer.on().accounts.decideProfile({ ...again, profile: (await waiting()).profile, approved: true })
  expect([await publicly(), await media(second)]).toEqual([expect.stringMatching(/Raven.*"logo":"".*Raven/), hidden])
  await system.admin.accounts.setTrusted({ email: crow.email, trusted: true })
  await accounts.updateStudio({ name: 'Jackdaw', about: '', website: '' })
  expect(await publicly()).toContain('Jackdaw')
  expect(await waiting()).toBeUndefined()
})

test('files of a game that is not published yet, or was withdrawn, are not public', async () => {
  const draft = await image(await system.draft(fox, 'Hidden'))
  expect([await media(draft), await media(draft, owl), await media(draft, fox)]).toEqual([hidden, hidden, own])
  const { gameId, first } = await published('Withdrawn')
  await fox.on().games.withdraw({ gameId })
  expect([await media(first), await media(first, fox)]).toEqual([hidden, own])
})
