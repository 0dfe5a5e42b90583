import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import express from 'express'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { gameClient } from '../../portal/routes/games/client.ts'
import { startBrowser } from '../support/browser.ts'
import type { Game } from '../support/games.ts'
import { player } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'

const browser: Browser | undefined = await startBrowser()
const dist = resolve(import.meta.dirname, '..', '..', 'clients', 'javascript', 'dist', 'games-lrs.js')

let system: System
let game: Game
let server: Server
let origin: string
/** What stands between the page and the gateway: true when it has dealt with the request. */
let interfere: (request: IncomingMessage, response: ServerResponse, n: number) => boolean
let requests = 0
/** A page that loads its script from elsewhere. */
let plain = ''
let context: BrowserContext
let learner = 0

/** Serves the page and its script, and passes on what goes to /xapi unless `interfere` does not let it. */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '/', method = 'GET', headers } = request
  if (url === '/games-lrs.js')
    return void response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(await readFile(dist))
  if (url.startsWith('/plain')) return void response.writeHead(200, { 'Content-Type': 'text/html' }).end(plain)
  if (!url.startsWith('/xapi'))
    return void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>A game</title>')
  const body = Buffer.concat(await request.toArray())
  if (interfere(request, response, requests++)) return
  const sent = {
    authorization: headers.authorization!,
    'x-experience-api-version': '1.0.3',
    'content-type': headers['content-type'] ?? 'application/json',
  }
  const reply = await fetch(system.urls[0] + url, { method, headers: sent, body: method === 'GET' ? undefined : body })
  response.writeHead(reply.status, { 'Content-Type': 'application/json' }).end(Buffer.from(await reply.arrayBuffer()))
}

describe.skipIf(!browser)('the client in a browser', () => {
  beforeAll(async () => {
    system = await startSystem()
    game = await system.game()
    server = createServer((request, response) => void serve(request, response).catch(() => response.destroy())).listen(
      0,
      '127.0.0.1',
    )
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    await browser?.close()
    server.closeAllConnections()
    server.close()
    await system.close()
  })
  beforeEach(async () => {
    interfere = () => false
    requests = 0
    learner++
    context = await browser!.newContext()
  })
  afterEach(() => context.close())

  const query = () =>
    new URLSearchParams({
      endpoint: `${origin}/xapi/`,
      auth: game.authorization,
      actor: JSON.stringify(player(`browser-${learner}`)),
      registration: '66666666-0000-4000-8000-000000000001',
      activity_id: 'https://games.example.org/quiz',
    })

  async function open(options = '{ flushAfter: 50 }'): Promise<Page> {
    const page = await context.newPage()
    await page.goto(`${origin}/?${query()}`)
    await page.evaluate(
      `import('/games-lrs.js').then(async ({ connect }) => { globalThis.lrs = await connect(${options}) })`,
    )
    return page
  }
  const send = (page: Page, from: number, to: number) =>
    page.evaluate(`(async () => { for (let n = ${from}; n < ${to}; n++) await lrs.progressed('step-' + n) })()`)
  /** Steps that are there, in the order in which they were stored. */
  async function steps(): Promise<number[]> {
    const found = await game.xapi().all({ agent: player(`browser-${learner}`), ascending: true, limit: 500 })
    return found.map(({ object }) => Number(/step-(\d+)$/.exec(object.id)![1]))
  }
  const arrived = (count: number) =>
    expect.poll(steps, { interval: 100 }).toEqual(Array.from({ length: count }, (_, n) => n))

  test('1,000 statements over a connection that drops every third request: all arrive once, in order', async () => {
    interfere = (request, _response, n) => n % 3 === 2 && (request.socket.destroy(), true)
    const page = await open('{ flushAfter: 20, flushAt: 20 }')
    await send(page, 0, 1000)
    await arrived(1000)
  })

  test('what was not sent while offline goes when the network is back', async () => {
    const page = await open()
    await send(page, 0, 2)
    await arrived(2)
    await context.setOffline(true)
    await send(page, 2, 6)
    await page.waitForTimeout(300)
    expect(await steps()).toHaveLength(2)
    await context.setOffline(false)
    await arrived(6)
  })

  test('429 and 503 are tried again with the same ids', async () => {
    interfere = (_request, response, n) =>
      n < 2 && (response.writeHead(n === 0 ? 429 : 503).end('{"error":"Rate limit exceeded"}'), true)
    const page = await open()
    await send(page, 0, 5)
    await arrived(5)
  })

  test('a tab that is closed sends its last statements; what did not get through goes with the next visit', async () => {
    const page = await open('{ flushAfter: 60_000 }')
    await send(page, 0, 3)
    await page.close({ runBeforeUnload: true })
    await arrived(3)
    interfere = (request) => (request.socket.destroy(), true)
    const other = await open('{ flushAfter: 60_000 }')
    await send(other, 3, 8)
    await other.close({ runBeforeUnload: true })
    await new Promise((done) => setTimeout(done, 200))
    expect(await steps()).toHaveLength(3)
    interfere = () => false
    await open()
    await arrived(8)
  })

  test('a plain page loads it from the portal by a script tag, as the README says', async () => {
    const portal = express().use(gameClient()).listen(0, '127.0.0.1')
    await once(portal, 'listening')
    try {
      const [, html] = /```html\n(.*?)```/s.exec(await readFile(resolve(dist, '..', '..', 'README.md'), 'utf8'))!
      plain = `<!doctype html><title>A game</title>${html!.replace('https://portal.example.org', `http://127.0.0.1:${(portal.address() as AddressInfo).port}`)}`
      const page = await context.newPage()
      await page.goto(`${origin}/plain?${query()}`)
      const found = async () =>
        (await game.xapi().all({ agent: player(`browser-${learner}`) })).map(({ verb, object }) => [
          verb.display.en,
          object.id,
        ])
      await expect.poll(found, { interval: 100 }).toEqual([['initialized', 'https://games.example.org/quiz']])
    } finally {
      portal.close()
    }
  })

  test('what the browser does not keep, when its data were cleared, is sent all the same', async () => {
    const page = await open()
    await send(page, 0, 2)
    await arrived(2)
    await page.evaluate(`new Promise((done) => { indexedDB.deleteDatabase('games-lrs').onsuccess = done })`)
    await send(page, 2, 30)
    await arrived(30)
  })

  test('two tabs of one learner: nothing twice, nothing lost', async () => {
    const [one, two] = await Promise.all([open(), open()])
    await Promise.all([send(one, 0, 60), send(two, 60, 120)])
    await expect
      .poll(async () => (await steps()).toSorted((a, b) => a - b))
      .toEqual(Array.from({ length: 120 }, (_, n) => n))
    const found = await steps()
    expect(found.filter((n) => n < 60)).toEqual(Array.from({ length: 60 }, (_, n) => n))
  })

  test('state documents: read, write, merge', async () => {
    const page = await open()
    const value = await page.evaluate(`(async () => {
      const state = lrs.state()
      if (await state.get('save')) throw new Error('there is one already')
      await state.put('save', { level: 1 })
      await state.merge('save', { coins: 3 })
      return (await state.get('save')).value
    })()`)
    expect(value).toEqual({ level: 1, coins: 3 })
  })
})
