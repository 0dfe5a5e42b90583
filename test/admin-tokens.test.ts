import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../start/fixtures/launch.ts'
import { done, failed, run } from './support/admin.ts'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import { statement } from './support/statements.ts'
import type { Studio } from './support/studios.ts'
import { basic, xapiClient } from './support/xapi.ts'
import { rawZip } from './support/zip.ts'

let system: PortalSystem
let studio: Studio
let token: string
const folder = temporaryFolder()
beforeAll(async () => {
  system = await startPortalSystem()
  studio = await system.studio('Blue Fox')
  const scopes = ['read', 'upload', 'games', 'audit']
  token = (await studio.on().tokens.createToken({ name: 'CI', scopes, days: 1 })).token
})
afterAll(() => system.close())

const core = () => `http://127.0.0.1:${system.cores[0]!.port}`
const ci = (...args: string[]) =>
  run(args, { env: { LRS_CORE_URL: core(), LRS_TOKEN: token, LRS_PORTAL_URL: system.url } })

test('with a personal token CI makes a game, uploads a build and submits it', async () => {
  const zip = join(folder, 'quiz.zip')
  writeFileSync(zip, rawZip([{ name: 'index.html' }]))
  const { gameId } = JSON.parse((await ci('games', 'create', 'Chess', '--json')).out)
  expect(await ci('games', 'upload', gameId, zip)).toEqual(
    done(expect.stringMatching(/^Uploaded: quiz\.zip, \d+ bytes\. It is a draft/)),
  )
  await studio.on().games.updateGame({ gameId, name: 'Chess', summary: 'In one line.', description: '' })
  expect(await ci('games', 'submit', gameId, '--message', 'By CI')).toEqual(done(`Submitted for review: ${gameId}.`))
  expect((await ci('games', 'list')).out).toMatch(/Chess .* in-review/)
  expect((await ci('audit', 'list', '--action', 'game.submit')).out).toMatch(/game\.submit +\S+ \(CI\) +Chess +ok/)
})

test('the pages that may show a game are set, kept by other changes, and taken back', async () => {
  const { gameId } = JSON.parse((await ci('games', 'create', 'Bridges', '--json')).out)
  const listed = async (...options: string[]) => (await ci('games', 'player', gameId, ...options)).out
  expect(await listed('--embed', 'https://School.example/', 'http://localhost:3000')).toMatch(
    /embed +https:\/\/school\.example http:\/\/localhost:3000/,
  )
  expect(await listed('--isolated')).toMatch(/embed +https:\/\/school\.example/)
  expect(await ci('games', 'player', gameId, '--embed', 'https://a.example', 'http://b.example')).toEqual(
    failed(/player\.embed\[1\]: must begin with https/),
  )
  expect(await listed('--no-embed')).toMatch(/isolated +yes[^]*embed +none/)
})

test('with a personal token the statements of a game of the studio are exported, those of others are not', async () => {
  const { gameId } = await system.publish(studio, 'Quiz')
  const { key, secret } = await studio.on().games.revealSecret({ gameId })
  await xapiClient(system.urls[0]!, basic(key, secret)).post(statement())
  const exported = await ci('statements', 'export', '--game', gameId)
  expect(exported.out.split('\n')).toHaveLength(1)
  expect(exported.error).toMatch(/1 statement/)
  const owl = await system.studio('Owl')
  const other = await system.publish(owl, 'Go')
  expect(await ci('statements', 'export', '--game', other.gameId)).toEqual(failed(/^There is no such game/))
  expect(await ci('statements', 'query', '--key', (await owl.on().games.revealSecret(other)).key)).toEqual(
    failed(/^There is no such game/),
  )
})

test('what is for admins says so; the token may be in a file', async () => {
  expect(await ci('studios', 'list')).toEqual(failed(/^A personal token cannot do this/))
  const file = join(folder, 'token')
  writeFileSync(file, `${token}\n`)
  expect((await run(['games', 'list', '--core', core(), '--token-file', file])).out).toContain('Chess')
  expect(await run(['games', 'list', '--core', core(), '--token-file', join(folder, 'none')])).toEqual(
    failed(/^The token cannot be read from .*: ENOENT/, 2),
  )
})
