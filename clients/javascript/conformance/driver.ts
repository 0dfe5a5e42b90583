// The client for JavaScript in a real Chromium, driven by lines of JSON (clients/README.md).
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { launchProfile } from '../../../test/support/browser.ts'

const { DRIVER_PORT: port, DRIVER_FOLDER: folder, XAPI_LAUNCH_FILE: launchFile } = process.env
const here = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')

const socket = connect(Number(port), '127.0.0.1')
await once(socket, 'connect')
socket.on('close', () => process.exit(1)).on('error', () => process.exit(1))
const say = (line: object): void => void socket.write(`${JSON.stringify(line)}\n`)

const context = await launchProfile(folder!)
if (!context) throw new Error('there is no Chromium')
// the page of a game: always at the same origin, so that it finds what an earlier page left
await context.route('http://localhost/**', (route) => {
  const path = new URL(route.request().url()).pathname
  if (path === '/') return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>game</title>' })
  if (path === '/launch.json' && launchFile !== undefined)
    return route.fulfill({ contentType: 'application/json', body: readFileSync(launchFile, 'utf8') })
  if (path === '/games-lrs.js')
    return route.fulfill({ contentType: 'text/javascript', body: here('../dist/games-lrs.js') })
  return route.fulfill({ status: 404, body: '' })
})
// the gateway of the test is on this machine, which browsers keep from pages
await context.grantPermissions(['local-network-access'])
const page = await context.newPage()
await page.exposeFunction('tell', say)
await page.goto(launchFile === undefined ? 'http://localhost/' : 'http://localhost/#?session=test')
await page.addScriptTag({ content: here('page.js'), type: 'module' })
await page.waitForFunction('globalThis.run')

createInterface(socket).on('line', (line) => {
  const command = JSON.parse(line)
  void page
    .evaluate((command) => (globalThis as unknown as { run(command: object): Promise<object> }).run(command), command)
    .catch((error: Error) => ({ error: { status: 0, message: error.message } }))
    .then(async (answer) => {
      say({ n: command.n, ...answer })
      if (command.do !== 'quit') return
      // as a player closes the tab: the page is told, and what it still sends goes out
      await context.close()
      socket.end(() => process.exit(0))
    })
})
