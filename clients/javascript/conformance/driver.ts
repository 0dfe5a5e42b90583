// The client for JavaScript in a page of a real browser, driven by lines of JSON (clients/README.md). Parameters are the
// command of the browser, to which the address of the page is added; without them it is Chromium.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { launchProfile } from '../../../test/support/browser.ts'

const { DRIVER_PORT: port, DRIVER_FOLDER: folder, XAPI_LAUNCH_FILE: launchFile } = process.env
const here = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')

const socket = connect(Number(port), '127.0.0.1')
await once(socket, 'connect')
socket.on('close', () => process.exit(1)).on('error', () => process.exit(1))

/** The page reads them from this answer. */
const commands = Promise.withResolvers<ServerResponse>()
/** Number of the command to quit; 0: none yet. */
let last = 0
const files: Record<string, () => [type: string, content: string]> = {
  '/': () => ['text/html', '<!doctype html><title>game</title><script type="module" src="page.js"></script>'],
  '/page.js': () => ['text/javascript', here('page.js')],
  '/games-lrs.js': () => ['text/javascript', here('../dist/games-lrs.js')],
  ...(launchFile !== undefined && { '/launch.json': () => ['application/json', readFileSync(launchFile, 'utf8')] }),
}
/** What keeps Firefox from opening pages of its own, and those of before a kill, and lets a page close itself. */
const preferences = {
  'browser.aboutwelcome.enabled': false,
  'browser.sessionstore.resume_from_crash': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.allow_scripts_to_close_windows': true,
  'toolkit.startup.max_resumed_crashes': -1,
}

const server = createServer((request, response) => {
  const file = files[request.url!]?.()
  if (file) return void response.setHeader('Content-Type', file[0]).end(file[1])
  if (request.url === '/commands') {
    response.setHeader('Content-Type', 'text/event-stream').flushHeaders()
    return commands.resolve(response)
  }
  if (request.url !== '/say') return void response.writeHead(404).end()
  void text(request).then((line) => {
    socket.write(`${line}\n`)
    response.end()
    return JSON.parse(line).n === last ? close() : undefined
  })
})
// at the same origin each time, so that a page finds what an earlier one left
const portFile = join(folder!, 'port')
server.listen(existsSync(portFile) ? Number(readFileSync(portFile, 'utf8')) : 0, '127.0.0.1')
await once(server, 'listening')
const own = (server.address() as AddressInfo).port
writeFileSync(portFile, `${own}`)
const address = `http://localhost:${own}/${launchFile === undefined ? '' : '#?session=test'}`
const closeBrowser = await (process.argv.length > 2 ? openByCommand(process.argv.slice(2)) : openInChromium())

createInterface(socket).on('line', (line) => {
  const { n, do: name } = JSON.parse(line)
  if (name === 'quit') last = n
  void commands.promise.then((response) => response.write(`data: ${line}\n\n`))
})

/** As a player closes the tab: the page is told, and what it still sends goes out. */
async function close(): Promise<void> {
  await closeBrowser()
  socket.end(() => process.exit(0))
}

async function openInChromium(): Promise<() => Promise<void>> {
  const context = await launchProfile(folder!)
  if (!context) throw new Error('there is no Chromium')
  // the gateway of the test is on this machine, which browsers keep from pages
  await context.grantPermissions(['local-network-access'])
  await (await context.newPage()).goto(address)
  return () => context.close()
}

function openByCommand([command, ...args]: string[]): () => Promise<void> {
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${value});\n`)
  writeFileSync(join(folder!, 'user.js'), lines.join(''))
  const browser = spawn(command!, [...args.map((one) => one.replace('{folder}', folder!)), address], {
    stdio: 'inherit',
    detached: true,
    // WebKitGTK keeps there what pages store
    env: { ...process.env, XDG_DATA_HOME: folder, XDG_CACHE_HOME: folder },
  })
  browser.on('error', (error) => {
    throw error
  })
  const ended = once(browser, 'exit')
  return async () => {
    // the page closes itself, and the browser ends with its last page
    const late = setTimeout(() => process.kill(-browser.pid!, 'SIGTERM'), 30_000)
    await ended
    clearTimeout(late)
  }
}
