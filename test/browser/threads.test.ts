import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBrowser, violations } from '../support/browser.ts'
import { reasonOf } from '../support/failures.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import type { Studio } from '../support/studios.ts'
import { rawZip } from '../support/zip.ts'

/** (module (import "env" "memory" (memory 1 1 shared)) (func (export "add") …)): adds 1 a thousand times at address 0. */
const wasm = Buffer.from(
  '0061736d01000000' +
    '01040160000002100103656e76066d656d6f727902030101' +
    '03020100' +
    '0707010361646400000a1f011d01017f0340' +
    '41004101fe1e02001a' +
    '200041016a220041e807490d00' +
    '0b0b',
  'hex',
)
const thread = `onmessage = async ({ data: [module, memory] }) => {
  (await WebAssembly.instantiate(module, { env: { memory } })).exports.add()
  postMessage('done')
}`
/** A game whose two threads count together in the memory that they share. */
const page = (
  workers: 'blob' | 'file',
) => `<!doctype html><title>Threads</title><p id="out">Starting</p><script type="module">
  const out = document.querySelector('#out')
  try {
    const module = await WebAssembly.compileStreaming(fetch('count.wasm'))
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true })
    if (!(memory.buffer instanceof SharedArrayBuffer)) throw new Error('not shared')
    const address = ${workers === 'file' ? `'thread.js'` : `URL.createObjectURL(new Blob([await (await fetch('thread.js')).text()]))`}
    await Promise.all([1, 2].map(() => new Promise((done, fail) => {
      const worker = new Worker(address)
      worker.onmessage = done
      worker.onerror = fail
      worker.postMessage([module, memory])
    })))
    out.textContent = 'Counted to ' + Atomics.load(new Int32Array(memory.buffer), 0)
  } catch (error) { out.textContent = String(error) }
</script>`
const zipOf = (workers: 'blob' | 'file') =>
  rawZip([
    { name: 'index.html', content: page(workers) },
    { name: 'thread.js', content: thread },
    { name: 'count.wasm', content: wasm },
  ])

const browser: Browser | undefined = await startBrowser()

describe.skipIf(!browser).each([
  { apart: false, workers: 'blob', on: 'the common origin' },
  { apart: true, workers: 'file', on: 'an origin of its own' },
] as const)('a game with threads on $on', ({ apart, workers }) => {
  let system: PortalSystem
  let studio: Studio
  let gameId: string
  let at: string
  let tab: Page
  const said = (page: Page) => page.frameLocator('#game').locator('#out')

  beforeAll(async () => {
    system = await startPortalSystem({ apart, gamesDomain: 'localhost' })
    studio = await system.studio('Blue Fox')
    gameId = await system.draft(studio, 'Threads', zipOf(workers))
    // isolation needs a secure context: https, or an address of this machine
    at = apart ? `http://127.0.0.1:${system.portal.port}` : system.url
    const context = await browser!.newContext({ baseURL: at })
    await context.addCookies([{ name: 'session', value: studio.session, url: at, httpOnly: true, sameSite: 'Lax' }])
    tab = await context.newPage()
  })
  afterAll(() => system.close())

  async function playInSandbox(): Promise<void> {
    await tab.goto(`/games/${gameId}/sandbox`)
    await tab.getByRole('button', { name: 'Start the session' }).click()
  }

  test('has no SharedArrayBuffer at first, as in every browser', { tags: 'long' }, async () => {
    await playInSandbox()
    await said(tab)
      .getByText(/SharedArrayBuffer is not defined|not shared/)
      .waitFor()
  })

  test('is isolated by a switch, and counts in two threads in the sandbox', async () => {
    await tab.goto(`/games/${gameId}/player`)
    expect(await violations(tab)).toEqual([])
    await tab.getByLabel('Isolate the game from other origins').check()
    await tab.getByRole('button', { name: 'Save' }).click()
    expect(await tab.getByLabel('Isolate the game from other origins').isChecked()).toBe(true)
    await playInSandbox()
    await said(tab).getByText('Counted to 2000').waitFor()
    expect(await tab.evaluate('crossOriginIsolated')).toBe(true)
  })

  test('does the same for learners after the review', async () => {
    const { games } = studio.on()
    await games.submitForReview({ gameId, message: '' })
    const { game } = await games.getGame({ gameId })
    await system.admin.games.decideReview({ gameId, buildId: game!.staged!.buildId, approved: true, note: '' })
    const learner = await (await browser!.newContext({ baseURL: at })).newPage()
    await learner.goto(`/play/${game!.summary!.slug}`)
    await learner.getByLabel('What do you want to be called?').fill('Ann')
    await learner.getByRole('button', { name: 'Play' }).click()
    await said(learner).getByText('Counted to 2000').waitFor()
    expect(
      await learner
        .frames()[1]!
        .evaluate('(() => { try { return parent.document.title } catch ({ name }) { return name } })()'),
    ).toBe('SecurityError')
    await learner.context().close()
  })

  test('is set by its studio only', async () => {
    const owl = await system.studio('Owl')
    expect(await reasonOf(owl.on().games.setPlayer({ gameId, player: { isolated: false } }))).toBe('NOT_FOUND')
  })
})

afterAll(() => browser?.close())
