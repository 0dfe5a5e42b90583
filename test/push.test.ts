import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { GameState } from '../gen/lrs/v1/games_pb.js'
import { endAll, temporaryFolder } from '../start/fixtures/launch.ts'
import { command, done, failed, run as runHosted } from './support/admin.ts'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import type { Studio } from './support/studios.ts'
import { tokens } from './support/system.ts'
import { bearer } from './support/xapi.ts'

let system: PortalSystem
let studio: Studio
let gameId: string
let slug: string
/** Of a CI: with no other scope. */
let uploadToken: string
let folder: string
beforeAll(async () => {
  system = await startPortalSystem()
})
afterAll(async () => {
  endAll()
  await system.close()
})
beforeEach(async () => {
  studio = await system.studio('Blue Fox')
  gameId = (await studio.on().games.createGame({ name: 'Chess' })).gameId
  await studio.on().games.updateGame({ gameId, name: 'Chess', summary: 'Endgames', description: 'Twenty' })
  slug = (await game()).summary!.slug
  uploadToken = await tokenOf('upload')
  folder = join(temporaryFolder(), 'dist')
  mkdirSync(join(folder, 'js'), { recursive: true })
  write('one')
})

const tokenOf = async (...scopes: string[]) =>
  (await studio.on().tokens.createToken({ name: 'CI', scopes, days: 1 })).token
const game = async () => (await studio.on().games.getGame({ gameId })).game!
/** The game says who it is. */
function write(mark: string): void {
  writeFileSync(join(folder, 'index.html'), `<!doctype html><title>Chess ${mark}</title>`)
  writeFileSync(join(folder, 'js', 'game.js'), 'play()\n'.repeat(1_000))
}
const as = (token: string) => ({
  env: { LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`, LRS_TOKEN: token, LRS_PORTAL_URL: system.url },
})
const run = (args: string[], token = uploadToken) => runHosted(args, as(token))
const push = (...args: string[]) => run(['push', folder, slug, ...args])
const pushed = async (...args: string[]) => {
  const said = await push(...args, '--json')
  expect(said).toEqual(done(expect.anything()))
  return JSON.parse(said.out) as Record<string, string | number | boolean>
}
const uploadsToday = async () => {
  const { usage } = await studio.on().quotas.getUsage({})
  return Number(usage.find(({ anchor }) => anchor === 'buildUploadUrl')!.used)
}
const approve = (buildId: string) => system.admin.games.decideReview({ gameId, buildId, approved: true })
/** What a player who starts now sees. */
async function played(): Promise<string> {
  const { launch } = await system.connections[0]!.as(bearer(tokens.portal)).launches.startPlay({
    slug,
    learnerName: 'Ann',
    senderIp: '10.9.0.1',
  })
  return (await fetch(`${system.gamesUrl}${launch!.files}/b/${launch!.buildId}/index.html`)).text()
}

test('a build is pushed twice, rolled back, and the old one plays within 5 seconds', async () => {
  await approve(String((await pushed('--label', 'v1', '--submit'))['buildId']))
  write('two')
  await approve(String((await pushed('--label', 'v2', '--notes', 'A new endgame', '--submit'))['buildId']))
  expect(await played()).toContain('Chess two')
  const games = await tokenOf('games')
  const began = performance.now()
  expect(await run(['games', 'rollback', slug], games)).toEqual(
    done(
      `Build 1 (v1) of ${slug} is live again. build 2 (v2) is kept: "games rollback ${slug} --to 2" brings it back.`,
    ),
  )
  expect(await played()).toContain('Chess one')
  expect(performance.now() - began).toBeLessThan(5_000)
  expect((await game()).reviews).toHaveLength(2)
  expect(await run(['games', 'rollback', slug, '--to', 'v2', '--json'], games)).toMatchObject({ code: 0 })
  expect(await played()).toContain('Chess two')
  expect(await run(['games', 'rollback', slug, '--to', 'v9'], games)).toEqual(
    failed(/^No kept build is "v9": there are build 1 \(v1\)\.$/),
  )
  expect(await run(['games', 'rollback', slug])).toEqual(failed(/lacks the scope games/))

  expect(await run(['games', 'beta-link', slug])).toEqual(failed(/lacks the scope games/))
  const made = await run(['games', 'beta-link', slug, '--json'], games)
  const { link } = JSON.parse(made.out) as { link: string }
  expect(link).toMatch(new RegExp(`^${system.url}/beta/[\\w-]{43}$`))
  expect((await fetch(link)).status).toBe(200)
  expect(await run(['games', 'beta-link', slug, '--end'], games)).toEqual(
    done(`Others cannot play the beta of ${slug} any more.`),
  )
  expect((await fetch(link)).status).toBe(404)
  const shown = (await run(['games', 'show', slug], await tokenOf('read'))).out
  expect(shown).toMatch(/^live build +[0-9a-f-]{36} \(build 2, v2, browser, dist\.zip, .*\n +A new endgame$/m)
  expect(shown).toMatch(/^kept build +[0-9a-f-]{36} \(build 1, v1, .* kept until \d{4}-\d\d-\d\d/m)
})

describe('a push', () => {
  test('of what the channel has does nothing, whatever the times of the files, and takes no upload of the day', async () => {
    const first = await pushed('--channel', 'beta', '--label', 'v1')
    expect(first).toMatchObject({
      gameId,
      channel: 'beta',
      outcome: 'uploaded',
      number: 1,
      version: 'v1',
      preview: `${system.url}/preview/${slug}`,
    })
    const before = await uploadsToday()
    utimesSync(join(folder, 'index.html'), 1_000_000_000, 1_000_000_000)
    cpSync(folder, `${folder}-2`, { recursive: true })
    rmSync(folder, { recursive: true })
    cpSync(`${folder}-2`, folder, { recursive: true })
    expect(await pushed('--channel', 'beta')).toEqual({ ...first, outcome: 'unchanged', sent: 0 })
    expect(await push('--channel', 'beta')).toEqual(
      done(expect.stringMatching(/^Nothing changed: beta has build 1 \(v1\) already\. .*\/preview\//)),
    )
    expect(await uploadsToday()).toBe(before)
    write('two')
    expect(await pushed('--channel', 'beta')).toMatchObject({ outcome: 'uploaded', number: 2 })
    expect(await uploadsToday()).toBe(before + 1)
  })

  test('to live is a draft until it is submitted; a beta with the same files is submitted without an upload', async () => {
    expect((await push()).out).toMatch(/^Pushed to live: build 1, .* It is a draft: "games submit chess.*" submits it/)
    expect((await game()).summary!.state).toBe(GameState.DRAFT)
    expect(await pushed('--submit')).toMatchObject({ outcome: 'unchanged', submitted: true })
    expect((await game()).summary!.state).toBe(GameState.IN_REVIEW)
    await approve((await game()).staged!.buildId)
    write('two')
    const beta = await pushed('--channel', 'beta')
    const before = await uploadsToday()
    expect(await pushed('--submit', '--message', 'By CI')).toMatchObject({
      outcome: 'promoted',
      buildId: beta['buildId'],
      submitted: true,
    })
    expect(await uploadsToday()).toBe(before)
    expect((await game()).reviews[0]).toMatchObject({ buildId: beta['buildId'], message: 'By CI' })
    expect(await push('--submit', '--channel', 'beta')).toEqual(failed(/^A beta is not reviewed/, 2))
  })

  test('of a beta can be promoted by itself', async () => {
    expect(await run(['games', 'promote', slug])).toEqual(failed(/has no beta build/))
    await pushed('--channel', 'beta', '--label', 'v1')
    expect(await run(['games', 'promote', slug, '--message', 'Played for a week'])).toEqual(
      done(`Submitted for review: build 1 (v1) of ${slug}.`),
    )
    expect((await game()).summary!.state).toBe(GameState.IN_REVIEW)
    write('two')
    expect(await push()).toEqual(failed(/^The game is in review\. Withdraw it from review/))
    expect(await push('--channel', 'beta')).toMatchObject({ code: 0 })
  })

  test('that was killed is continued by the same push, with the parts that are missing', async () => {
    // several parts: what cannot be compressed
    writeFileSync(join(folder, 'data.bin'), randomBytes(40 * 1024 * 1024))
    const first = command(['push', folder, slug, '--channel', 'beta'], as(uploadToken))
    await expect.poll(() => first.said.error, { timeout: 150_000 }).toMatch(/Uploading: \d+%/)
    first.process.kill('SIGKILL')
    await first.ended
    expect((await game()).beta).toBeUndefined()
    const before = await uploadsToday()
    const second = await push('--channel', 'beta')
    expect(second.error).toMatch(/^Continuing an upload that was cut off: .* of 40 MB are missing\.$/m)
    expect(second.out).toMatch(/^Pushed to beta: build 1, 40 MB/)
    expect(await uploadsToday()).toBe(before)
    const { uploads } = await studio.on().uploads.listUploads({ gameId })
    expect(uploads).toEqual([])
  }, 300_000)

  test('of a folder sends changed files only, says which, and leaves out ignored ones', async () => {
    writeFileSync(join(folder, 'level.data'), randomBytes(2_000_000))
    writeFileSync(join(folder, 'js', 'game.js.map'), 'map')
    writeFileSync(join(folder, '.gamesignore'), '# of the build tool\n*.map\n')
    const planned = await push('--channel', 'beta', '--dry-run')
    expect(planned).toEqual(
      done(
        expect.stringMatching(/^Would push to beta of chess.*:\nSends all 3 files, 1\.91 MB: no build/),
        'Left out: js/game.js.map',
      ),
    )
    expect(await uploadsToday()).toBe(0)
    rmSync(join(folder, 'js', 'game.js.map'))
    const first = await pushed('--channel', 'beta')
    expect(first['sent']).toBe(first['bytes'])
    write('two')
    const second = await pushed('--channel', 'beta')
    expect(second).toMatchObject({ outcome: 'uploaded', number: 2, sha256: '' })
    expect(Number(second['sent'])).toBeLessThan(1_000)
    expect(Math.abs(Number(second['bytes']) - Number(first['bytes']))).toBeLessThan(1_000)
    expect((await push('--channel', 'beta', '--dry-run')).out).toMatch(/^Nothing changed/)
    const { buildId, files } = (await studio.on().launches.openSandbox({ gameId, beta: true })).launch!
    const served = await fetch(`${system.gamesUrl}${files}/b/${buildId}/level.data`)
    expect((await served.arrayBuffer()).byteLength).toBe(2_000_000)
    const shown = await run(['games', 'builds', slug])
    expect(shown.out).toMatch(/^beta +2 +1\.91 MB +3 /m)
    // only the list of files changes: the zip is empty
    rmSync(join(folder, 'level.data'))
    expect(await pushed('--channel', 'beta')).toMatchObject({ outcome: 'uploaded', number: 3, sent: 22 })
  })

  test('says what a folder lacks before it uploads anything', async () => {
    symlinkSync('/etc/hosts', join(folder, 'hosts'))
    expect(await push()).toEqual(failed(/hosts is a link or no file/))
    rmSync(join(folder, 'hosts'))
    writeFileSync(join(folder, '.env'), 'SECRET=1')
    const said = await push()
    expect(said).toEqual(done(expect.stringMatching(/^Pushed/), 'Left out: .env'))
    const { buildId, files } = (await studio.on().launches.openSandbox({ gameId })).launch!
    expect((await fetch(`${system.gamesUrl}${files}/b/${buildId}/.env`)).status).toBe(404)
    expect((await fetch(`${system.gamesUrl}${files}/b/${buildId}/js/game.js`)).status).toBe(200)
    rmSync(join(folder, 'index.html'))
    expect(await push()).toEqual(failed(/has no index\.html at its top/))
    expect(await run(['push', join(folder, 'none'), slug])).toEqual(failed(/cannot be read/))
    expect(await run(['push', folder, 'none'])).toEqual(failed(/There is no such game, or it is not yours/))
    expect(await push('--channel', 'alpha')).toEqual(failed(/Allowed choices are live, beta/, 2))
    expect(await uploadsToday()).toBe(1)
  })

  test('ends with 3 where core is away, so that a CI tries again', async () => {
    const env = { LRS_CORE_URL: 'http://127.0.0.1:1', LRS_TOKEN: uploadToken }
    expect(await runHosted(['push', folder, slug], { env })).toEqual(failed(/Core does not answer/, 3))
  })

  test('needs the token of a member: that of the operator is of no studio', async () => {
    const env = { LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`, LRS_SERVICE_TOKEN: tokens.admin }
    for (const args of [
      ['push', folder, slug],
      ['games', 'rollback', slug],
    ])
      expect(await runHosted(args, { env })).toEqual(failed(/^This needs a personal token/, 2))
  })

  test('reaches no game of another studio', async () => {
    const owl = await system.studio('Owl')
    const { token } = await owl.on().tokens.createToken({ name: 'CI', scopes: ['upload', 'games'], days: 1 })
    for (const args of [
      ['push', folder, slug],
      ['games', 'rollback', slug],
      ['games', 'promote', gameId],
      ['games', 'beta-link', slug],
    ])
      expect(await run(args, token)).toEqual(failed(/^There is no such game, or it is not yours/))
  })
})
