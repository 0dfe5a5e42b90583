import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sweepStorage } from '../../core/games/command/sweep-storage.ts'
import { GameState } from '../../gen/lrs/v1/games_pb.js'
import { Channel } from '../../gen/lrs/v1/uploads_pb.js'
import { failureOf, reasonOf, refusal } from '../support/failures.ts'
import { addStudio } from '../support/studios.ts'
import { bearer } from '../support/xapi.ts'
import { BROWSER_BUILD, quiz, startPackages, type OwnOfTest, type Packages } from './packages.ts'

let packages: Packages
let { studio, gameId } = {} as OwnOfTest
beforeAll(async () => {
  packages = await startPackages()
})
afterAll(() => packages.close())
beforeEach(async () => {
  ;({ studio, gameId } = await packages.next())
})

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const words = { channel: Channel.BETA, version: 'v1.2', notes: 'The sound of level 2\n\nis mended' }
const ask = (size: number, more: object = {}) =>
  studio.on().uploads.requestUpload({
    gameId,
    kind: BROWSER_BUILD,
    fileName: 'quiz.zip',
    size: BigInt(size),
    ...words,
    ...more,
  })
/** Uploads a build; the beta, unless the channel is another one. */
async function push(bytes: Buffer, more: object = {}): Promise<string> {
  await packages.newWindows()
  const { upload } = await ask(bytes.length, { sha256: digest(bytes), ...more })
  await packages.uploads.send(upload!, bytes)
  return (await packages.finalize(upload!.uploadId)).id
}
const describeGame = () =>
  studio.on().games.updateGame({ gameId, name: 'Quiz', summary: 'Three levels', description: 'One' })
const indexOf = async (buildId: string) => packages.system.cores[0]!.storage.open(`builds/${buildId}/index.html`)

describe('a beta build', () => {
  test('is there at once, with version, notes and hash; only members play it, in the sandbox', async () => {
    const zip = quiz()
    const buildId = await push(zip)
    const game = await packages.view()
    expect(game.beta).toMatchObject({
      buildId,
      number: 1,
      version: 'v1.2',
      notes: words.notes,
      sha256: digest(zip),
      size: BigInt(zip.length),
    })
    expect([game.live, game.staged, game.summary!.state]).toEqual([undefined, undefined, GameState.DRAFT])
    const { launch } = await studio.on().launches.openSandbox({ gameId, learnerName: 'Ann', beta: true })
    expect(launch).toMatchObject({ buildId, sandbox: true })
    // without a staged or a live build, the beta is the only one
    expect(await failureOf(studio.on().launches.openSandbox({ gameId }))).toMatchObject({
      message: expect.stringMatching(/no build to try/),
    })
    const other = await addStudio(packages.system, 'Fox')
    expect(await reasonOf(other.on().launches.openSandbox({ gameId, beta: true }))).toBe('NOT_FOUND')
  })

  test('is not shown to the reviewer of the staged build, who cannot play it either', async () => {
    const reviewer = await addStudio(packages.system, 'Lynx', { reviewer: true })
    const staged = await packages.stage(quiz('staged'))
    await push(quiz('beta'))
    await describeGame()
    await studio.on().games.submitForReview({ gameId })
    // a beta may be uploaded while a build is in review
    await push(quiz('beta 2'))
    const { game } = await reviewer.on().games.getGame({ gameId })
    expect([game!.staged!.buildId, game!.beta]).toEqual([staged, undefined])
    expect(await reasonOf(reviewer.on().launches.openSandbox({ gameId, beta: true }))).toBe('NOT_FOUND')
    expect((await reviewer.on().launches.openSandbox({ gameId })).launch!.buildId).toBe(staged)
  })

  test('replaces the one before, whose files stay as long as a session may run, and counts for the storage', async () => {
    const [first, second] = [await push(quiz()), await push(quiz('2'))]
    await sweepStorage(packages.system.cores[0]!)
    expect([await indexOf(first), await indexOf(second)]).not.toContain(undefined)
    expect(await packages.used()).toEqual({ builds: quiz('2').length, reserved: 0 })
    await packages.system.database.sql(`update garbage set due = now() where key = $1`, [`builds/${first}/`])
    await sweepStorage(packages.system.cores[0]!)
    expect(await indexOf(first)).toBeUndefined()
  })

  test('is submitted for review without a second upload', async () => {
    await describeGame()
    const buildId = await push(quiz())
    const before = await packages.objects()
    const other = await addStudio(packages.system, 'Fox')
    expect(await reasonOf(other.on().builds.promote({ gameId, buildId, message: '' }))).toBe('NOT_FOUND')
    expect(await failureOf(studio.on().builds.promote({ gameId, buildId: gameId }))).toMatchObject({
      message: expect.stringMatching(/Another build is the beta now/),
    })
    await studio.on().builds.promote({ gameId, buildId, message: 'Level 3 is new' })
    const game = await packages.view()
    expect([game.beta, game.staged!.buildId, game.summary!.state]).toEqual([undefined, buildId, GameState.IN_REVIEW])
    expect(game.reviews[0]).toMatchObject({ buildId, message: 'Level 3 is new' })
    expect(await packages.objects()).toEqual(before)
    await packages.system.admin.games.decideReview({ gameId, buildId, approved: true })
    expect((await packages.view()).live!.buildId).toBe(buildId)
    expect(await failureOf(studio.on().builds.promote({ gameId, buildId }))).toMatchObject({
      message: expect.stringMatching(/has no beta build/),
    })
  })

  test('of a game without a summary stays the beta when it is promoted too early', async () => {
    const buildId = await push(quiz())
    expect(await failureOf(studio.on().builds.promote({ gameId, buildId }))).toMatchObject({
      message: expect.stringMatching(/needs a summary/),
    })
    expect((await packages.view()).beta!.buildId).toBe(buildId)
  })
})

describe('an upload of a channel', () => {
  test('has texts within their bounds, and takes no damaged file', async () => {
    const asked = async (more: object) => (await refusal(ask(1_000, more))).message
    expect(await asked({ version: 'v'.repeat(41) })).toMatch(/version.*40 characters/)
    expect(await asked({ notes: 'n'.repeat(2_001) })).toMatch(/notes.*2,000 characters/)
    expect(await asked({ sha256: 'abc' })).toMatch(/sha256.*64 hexadecimal digits/)
    expect(await failureOf(push(quiz(), { sha256: '0'.repeat(64) }))).toMatchObject({
      message: expect.stringMatching(/must arrive as it was sent/),
    })
    expect((await packages.view()).beta).toBeUndefined()
    expect((await studio.on().uploads.listUploads({ gameId })).uploads).toEqual([])
  })

  test('is found again by its hash, and resumed', async () => {
    const zip = quiz()
    const { upload } = await ask(zip.length, { sha256: digest(zip) })
    const { uploads } = await studio.on(1).uploads.listUploads({ gameId })
    expect(uploads).toMatchObject([{ uploadId: upload!.uploadId, sha256: digest(zip), ...words }])
  })

  test('is one of the 20 of a day, like every other', async () => {
    for (let n = 0; n < 20; n++) {
      await packages.newWindows()
      const { upload } = await ask(1_000, n % 2 ? {} : { channel: Channel.LIVE })
      await studio.on().uploads.cancelUpload({ uploadId: upload!.uploadId })
    }
    expect(await failureOf(ask(1_000))).toMatchObject({ message: expect.stringMatching(/Too many builds today: 20/) })
  })

  test('needs no more than a token with the scope upload, which cannot roll back', async () => {
    const { token } = await studio.on().tokens.createToken({ name: 'CI', scopes: ['upload'], days: 0 })
    const core = packages.system.connections[0]!.as(bearer(token))
    await describeGame()
    const buildId = await push(quiz())
    const { slug } = (await packages.view()).summary!
    const found = await core.builds.listBuilds({ game: slug })
    expect(found).toMatchObject({ gameId, slug, beta: { buildId }, allowed: expect.arrayContaining(['promote']) })
    await core.builds.promote({ gameId, buildId })
    expect(await failureOf(core.builds.rollBack({ gameId, fromBuildId: buildId }))).toMatchObject({
      message: expect.stringMatching(/lacks the scope games/),
    })
    expect(await reasonOf(core.games.getGame({ gameId }))).toBe('FORBIDDEN')
  })
})
