import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gameSamples } from '../../portal/pages/games/code/engine-code.ts'
import { startBrowser } from '../support/browser.ts'
import type { Game } from '../support/games.ts'
import { startSystem, type System } from '../support/system.ts'

// The samples that the portal shows for engines of the web, without changes, on a page with a launch context.

const root = resolve(import.meta.dirname, '..', '..')
const client = join(root, 'clients', 'javascript', 'dist', 'games-lrs.js')

interface Engine {
  readonly sample: string
  /** What the page imports by which name; the path is in node_modules. */
  readonly imports?: Readonly<Record<string, string>>
  /** Where a player clicks to win. */
  readonly click?: { readonly x: number; readonly y: number }
}

const engines: readonly Engine[] = [
  { sample: 'JavaScript' },
  { sample: 'fetch, without our client' },
  { sample: 'Phaser', imports: { phaser: 'phaser/dist/phaser.esm.js' }, click: { x: 60, y: 60 } },
  { sample: 'PixiJS', imports: { 'pixi.js': 'pixi.js/dist/pixi.mjs' }, click: { x: 20, y: 15 } },
  { sample: 'three.js', imports: { three: 'three/build/three.module.js' }, click: { x: 200, y: 150 } },
]
const browser: Browser | undefined = await startBrowser()

describe.skipIf(!browser)('on a page that was launched, a statement is stored by the sample for', () => {
  let system: System
  let game: Game
  let server: Server
  let origin: string

  function serve({ url = '/' }: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(url, 'http://here')
    const script = (file: string) =>
      void response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(readFileSync(file))
    if (pathname.endsWith('/games-lrs.js')) return script(client)
    if (pathname.startsWith('/modules/')) return script(join(root, 'node_modules', pathname.slice('/modules/'.length)))
    const engine = engines[Number(pathname.split('/')[1])]!
    const imports = Object.entries(engine.imports ?? {}).map(([name, path]) => [name, `/modules/${path}`])
    response.writeHead(200, { 'Content-Type': 'text/html' })
      .end(`<!doctype html><meta charset="utf-8"><title>A game</title>
      <link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports: Object.fromEntries(imports) })}</script>
      <script type="module">${codeOf(engine)}
document.title = 'Ready'</script>`)
  }

  const activityOf = ({ sample }: Engine): string => `https://games.example.org/${encodeURIComponent(sample)}`
  const codeOf = (engine: Engine): string =>
    gameSamples(activityOf(engine)).find(({ name }) => name === engine.sample)!.code

  beforeAll(async () => {
    system = await startSystem()
    game = await system.game()
    server = createServer(serve).listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.close()
    await browser?.close()
    await system.close()
  })

  test.each(engines)('$sample', async (engine) => {
    const registration = crypto.randomUUID()
    const actor = { account: { homePage: 'https://games.example.org', name: engine.sample } }
    const query = new URLSearchParams({
      endpoint: `${system.urls[0]}/xapi/`,
      auth: await game.launch(actor, registration),
      actor: JSON.stringify(actor),
      registration,
      activity_id: activityOf(engine),
    })
    await using context = await browser!.newContext()
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    await page.goto(`${origin}/${engines.indexOf(engine)}/?${query}`)
    await page.waitForFunction("document.title === 'Ready'")
    const stored = () => game.xapi().all({ activity: `${activityOf(engine)}/level-1` })
    await expect
      .poll(
        async () => {
          if (engine.click) await page.locator('canvas').click({ position: engine.click })
          await page.evaluate("dispatchEvent(new Event('pagehide'))")
          // a sample that takes every click may have stored more than one
          return (await stored())[0]
        },
        { timeout: 30_000, interval: 1000 },
      )
      .toMatchObject({ actor, context: { registration }, result: { completion: true, score: { scaled: 0.8 } } })
    expect(problems).toEqual([])
  })
})
