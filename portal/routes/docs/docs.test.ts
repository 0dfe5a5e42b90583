import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pino } from 'pino'
import { portalConfig, session, stubCore } from '../../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../../app.ts'
import { entries, isGuide, presentIn, sections } from '../../guides/contents.ts'
import { contentsPage } from '../../guides/contents-page.ts'
import { library } from '../../guides/library.ts'
import { contents } from '../../guides/links.ts'

const root = resolve(import.meta.dirname, '..', '..', '..')

let portal: RunningPortal
const get = async (path: string, headers = {}) => {
  const response = await fetch(`http://127.0.0.1:${portal.port}${path}`, { headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, body: await response.text() }
}
beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core: stubCore({}), log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())

const { guides } = await library()
const absent = entries.filter(({ name }) => !guides.has(name))
if (absent.length > 0)
  process.stderr.write(`\n!!! NO ${absent.map(({ file }) => file).join(', ')}: the docs do not show them.\n\n`)
const idsOf = (body: string): string[] => Array.from(body.matchAll(/ id="([^"]+)"/g), ([, id]) => id!)
const linksOf = (body: string): string[] => Array.from(body.matchAll(/(?:href|src)="([^"]+)"/g), ([, href]) => href!)

describe('the page of each guide has everything that it links to, and runs nothing', () => {
  const pages = new Map<string, Promise<Awaited<ReturnType<typeof get>>>>()
  const pageOf = (path: string) => {
    if (!pages.has(path)) pages.set(path, get(path))
    return pages.get(path)!
  }

  test.each(['', ...Array.from(guides.keys(), (name) => `/${name}`)])('/docs%s', async (name) => {
    const here = `/docs${name}`
    const { status, body } = await pageOf(here)
    expect(status).toBe(200)
    expect(body).not.toMatch(/<script(?! type="module" src="\/public\/)|<style| style="| on\w+="|javascript:/)
    const ids = idsOf(body)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    const broken = []
    for (const link of new Set(linksOf(body))) {
      if (!/^[/#]/.test(link)) continue
      const [path = '', anchor] = link.split('#')
      const target = await pageOf(path === '' ? here : path)
      // what needs a whole core is in other tests
      if (target.status === 404) broken.push(link)
      if (target.status !== 200 || anchor === undefined) continue
      if (!idsOf(target.body).includes(decodeURIComponent(anchor))) broken.push(link)
    }
    expect(broken).toEqual([])
    expect(gzipSync(body).length).toBeLessThan(60_000)
  })

  test('and so have the links of all other pages of the portal to the docs', async () => {
    const broken = []
    for (const file of globSync('portal/pages/**/*.ts', { cwd: root })) {
      for (const [, path, , anchor] of readFileSync(join(root, file), 'utf8').matchAll(
        /['"](\/docs\/[\w-]+)(#([\w-]+))?['"]/g,
      )) {
        if (absent.some(({ name }) => path === `/docs/${name}`)) continue
        const { status, body } = await pageOf(path!)
        if (status !== 200 || (anchor !== undefined && !idsOf(body).includes(anchor))) broken.push(`${file}: ${path}`)
      }
    }
    expect(broken).toEqual([])
  })
})

test('every Markdown file of docs has its place in the list of guides', () => {
  const files = globSync('docs/*.md', { cwd: root }).filter((file) => !entries.some((entry) => entry.file === file))
  expect(files).toEqual([contents])
  expect(readFileSync(join(root, contents), 'utf8'), 'start/write-docs.ts writes it').toBe(contentsPage())
})

test('the image for operators has every guide', () => {
  const dockerfile = readFileSync(join(root, 'ops/Dockerfile'), 'utf8')
  const outside = entries
    .filter((entry) => !absent.includes(entry) && !entry.file.startsWith('docs/'))
    .map(({ file }) => file)
  const copied = (file: string) => dockerfile.includes(file) || dockerfile.includes(`COPY ${dirname(file)} `)
  expect(outside.filter((file) => !copied(file))).toEqual([])
  expect(dockerfile).toContain('COPY docs ./docs')
})

test('guides are read once, and the start page names all of them', async () => {
  const { body } = await get('/docs')
  for (const entry of sections.flatMap((section) => presentIn(section, guides)))
    expect(linksOf(body)).toContain(isGuide(entry) ? `/docs/${entry.name}` : entry.href)
  expect(await library()).toBe(await library())
})

describe('the search works without scripts', () => {
  test.each([
    ['failover', '/docs/operating#failover'],
    ['verify webhook', '/docs/webhooks#verify'],
    ['limits', '/limits'],
    ['launchh context', '/docs/launch'],
    ['registr', '/docs/launch'],
    ['personal tokens', '/docs/cli#personal-tokens'],
    ['quickstart', '/docs/first-statement'],
    ['gdpr', '/docs/privacy#erasure'],
    ['leaderboard', '/docs/saves#leaderboards'],
    ['429', '/docs/status-codes#429-too-many-requests'],
    ['403', '/docs/status-codes#403-forbidden'],
  ])('%s', async (asked, href) => {
    const { status, body } = await get(`/docs?q=${encodeURIComponent(asked)}`)
    expect(status).toBe(200)
    const list = /<ol class="found">.*?<\/ol>/s.exec(body)![0]
    expect(linksOf(list).slice(0, 3)).toContain(href)
    expect(list).toContain('<mark>')
  })

  test('with text that nobody wrote, it shows the text and says what to do', async () => {
    const { status, body } = await get(`/docs?q=${encodeURIComponent('"><script>alert(1)</script>xyzzyplugh')}`)
    expect(status).toBe(200)
    expect(body).not.toContain('<script>')
    for (const query of ['?q=', '?q=%20', '?q=a&q=b', '?q=%00', `?q=${'y'.repeat(5000)}`, '?q[x]=1'])
      expect([query, (await get(`/docs${query}`)).status]).toEqual([query, 200])
    expect((await get('/docs?q=xyzzyplugh')).body).toContain('No guide has “xyzzyplugh”')
  })
})

test('other addresses below /docs are not found, and the pictures are kept by browsers', async () => {
  for (const path of [
    '/docs/nowhere',
    '/docs/constructor',
    '/docs/__proto__',
    '/docs/adr/9999-x',
    '/docs/..%2fpackage.json',
    '/docs/screenshots/nowhere.webp',
    '/docs/screenshots/..%2flaunch.md',
    '/docs/screenshots/',
    '/docs/launch.md',
    '/docs/a/b/c',
  ])
    expect([path, (await get(path)).status]).toEqual([path, 404])
  const { status, headers } = await get('/docs/screenshots/home.webp')
  expect([status, headers.get('content-type')]).toEqual([200, 'image/webp'])
  expect(headers.get('cache-control')).toBe('public, max-age=3600')
})

test('members of a studio see the docs with their header', async () => {
  const { body } = await get('/docs/launch', { cookie: `session=${session}` })
  expect(body).toContain('href="/games"')
  expect(body).toMatch(/<a href="\/docs" aria-current="page">Docs<\/a>/)
})
