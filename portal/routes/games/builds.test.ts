import { afterAll, beforeAll, expect, test } from 'vitest'
import { UploadKind } from '../../../gen/lrs/v1/uploads_pb.js'
import { startPortalSystem, type PortalSystem } from '../../../test/support/portal.ts'
import type { Studio } from '../../../test/support/studios.ts'
import { rawZip } from '../../../test/support/zip.ts'
import { csrfToken } from '../../web/session-cookie.ts'

let system: PortalSystem
let studio: Studio
let stranger: Studio
let gameId: string
let slug: string
beforeAll(async () => {
  system = await startPortalSystem()
  studio = await system.studio('Blue Fox')
  stranger = await system.studio('Owl')
  ;({ gameId, slug } = await system.publish(studio, 'Chess'))
})
afterAll(() => system.close())

const asked = (path: string, form?: Record<string, string>, { session } = studio) =>
  fetch(`${system.url}${path}`, {
    method: form ? 'POST' : 'GET',
    redirect: 'manual',
    headers: { cookie: `session=${session}`, origin: system.url },
    ...(form && { body: new URLSearchParams({ csrf: csrfToken(session), ...form }) }),
  })
const textOf = async (answer: Response) => (await answer.text()).replaceAll(/\s+/g, ' ')
const game = async () => (await studio.on().games.getGame({ gameId })).game!
const zip = (mark: string) => rawZip([{ name: 'index.html', content: mark }])

/** As upload.js does. */
async function upload(bytes: Buffer, words: Record<string, string>): Promise<void> {
  const of = { kind: 'browser-build', file_name: 'chess.zip', size: String(bytes.length), ...words }
  const answer = await asked(`/games/${gameId}/uploads`, of)
  expect(answer.status).toBe(200)
  const { id, missing } = (await answer.json()) as { id: string; missing: { url: string }[] }
  await fetch(new URL(missing[0]!.url, system.url), { method: 'PUT', body: new Uint8Array(bytes) })
  expect((await asked(`/uploads/${id}/finalize`, {})).status).toBe(200)
}

test('a beta is uploaded with version and notes, previewed by the studio, and submitted as it is', async () => {
  await upload(zip('beta'), { channel: 'beta', version: 'v2', notes: 'The <knight> moves' })
  const page = await textOf(await asked(`/games/${gameId}/builds`))
  expect(page).toContain('<h3>Build 2 · v2</h3>')
  expect(page).toContain('Beta: for members of the studio')
  expect(page).toContain('The &lt;knight&gt; moves')
  const preview = await asked(`/preview/${slug}`)
  expect([preview.status, preview.headers.get('location')]).toEqual([303, `/games/${gameId}/sandbox?build=beta`])
  expect((await asked(`/preview/${slug}`, undefined, stranger)).status).toBe(404)
  expect(await textOf(await asked(preview.headers.get('location')!))).toMatch(
    /<option value="beta" selected>Beta build/,
  )
  const form = { learner_id: 'new', learner_name: 'Ann', build: 'beta' }
  const session = (await asked(`/games/${gameId}/sandbox`, form)).headers.get('location')!
  const { beta } = await game()
  const shown = await textOf(await asked(session))
  expect(shown).toContain(`/b/${beta!.buildId}/index.html`)
  expect(shown).toContain('<input type="hidden" name="build" value="beta">')

  expect(await textOf(await asked(`/games/${gameId}/promote`))).toContain('Build 2 · v2')
  const refused = await asked(`/games/${gameId}/promote`, { build: gameId, message: 'Look' })
  expect(await textOf(refused)).toMatch(/Another build is the beta now.* Look<\/textarea>/)
  const done = await asked(`/games/${gameId}/promote`, { build: beta!.buildId, message: 'Look' })
  expect(done.headers.get('location')).toBe(`/games/${gameId}/builds?done=submitted`)
  expect((await asked(`/games/${gameId}/promote`)).status).toBe(404)
  // what is uploaded while it is in review can only be a beta
  expect(await textOf(await asked(`/games/${gameId}/upload`))).toMatch(/what you upload now is a beta.*value="beta"/)
  await system.admin.games.decideReview({ gameId, buildId: beta!.buildId, approved: true })
})

test('a rollback asks first, names both builds, and is refused when another build is live by then', async () => {
  const { live, kept } = await game()
  const page = await textOf(await asked(`/games/${gameId}/builds`))
  expect(page).toMatch(/Kept for a rollback until .*\. Does not count as storage\./)
  const path = `/games/${gameId}/rollback`
  expect(page).toContain(`href="${path}?to=${kept[0]!.buildId}"`)
  expect(await textOf(await asked(`${path}?to=${kept[0]!.buildId}`))).toMatch(
    /get <strong>Build 1<\/strong>.*Build 2 · v2/,
  )
  expect((await asked(`${path}?to=${live!.buildId}`)).status).toBe(404)
  const form = { to: kept[0]!.buildId, from: live!.buildId }
  expect((await asked(path, form, stranger)).status).toBe(404)
  expect((await asked(path, { ...form, csrf: '' })).status).toBe(403)
  expect((await game()).live!.buildId).toBe(live!.buildId)
  const done = await asked(path, form)
  expect(done.headers.get('location')).toBe(`/games/${gameId}/builds?done=rolled-back`)
  expect((await game()).live!.buildId).toBe(kept[0]!.buildId)
  const again = { to: live!.buildId, from: live!.buildId }
  expect(await textOf(await asked(path, again))).toMatch(/Another build is live by now/)
})

test('an upload of before, without the new fields, is staged', async () => {
  await system.upload(studio, UploadKind.BROWSER_BUILD, 'chess.zip', zip('plain'), gameId)
  expect((await game()).staged).toMatchObject({ version: '', notes: '', number: 3 })
})
