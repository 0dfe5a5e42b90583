import { describe, expect, test } from 'vitest'
import { guideSearch } from '../../shared/limits.ts'
import { anchors, renderGuide } from './markdown.ts'
import { hrefOf, nameOf, pictureOf } from './links.ts'
import { GuideSearch } from './search.ts'

const render = (text: string) =>
  renderGuide('docs/here.md', text, {
    sizeOf: () => ({ width: 4, height: 3 }),
    titleOf: (file) => (file === 'docs/b.md' ? 'Title <of> b' : undefined),
  })

describe('headings have the anchors of GitHub', () => {
  test.each([
    ['In the browser', 'in-the-browser'],
    ['  The `If-Match` header, twice: why? ', 'the-if-match-header-twice-why'],
    ['`snake_case` & C++ (1.0.3)', 'snake_case--c-103'],
    ['Straße – Été', 'straße--été'],
    ['1. How many people played on each day?', '1-how-many-people-played-on-each-day'],
  ])('%s', (heading, anchor) => {
    expect(render(`# x\n\n## ${heading}`).passages[1]?.anchor).toBe(anchor)
  })

  test('the same heading gets a number', () => {
    expect(['Tokens', 'Tokens', 'Tokens-1', 'tokens'].map(anchors())).toEqual([
      'tokens',
      'tokens-1',
      'tokens-1-1',
      'tokens-2',
    ])
  })
})

describe('a link of a guide leads', () => {
  test.each([
    ['docs/launch.md', 'operating.md#proxies', '/docs/operating#proxies'],
    ['docs/launch.md', '#in-the-browser', '#in-the-browser'],
    ['docs/launch.md', 'adr/0003-a-game-is-a-tenant.md', '/docs/adr/0003-a-game-is-a-tenant'],
    ['docs/adr/0003-a-game-is-a-tenant.md', '../architecture.md', '/docs/architecture'],
    ['docs/adr/0003-a-game-is-a-tenant.md', 'README.md', '/docs/adr'],
    ['README.md', 'docs/cli.md', '/docs/cli'],
    ['docs/launch.md', '../README.md', '/docs/readme'],
    ['docs/launch.md', '../examples/quiz/README.md', '/docs/quiz'],
    ['docs/launch.md', 'https://example.org/x', 'https://example.org/x'],
    ['docs/launch.md', '../core/core.ts', undefined],
    ['docs/launch.md', '../proto/lrs/v1', undefined],
    ['docs/launch.md', 'javascript:alert(1)', undefined],
    ['docs/launch.md', '//evil.example', undefined],
    ['docs/launch.md', '../../../etc/passwd.md', undefined],
  ])('from %s, %s', (from, target, href) => {
    expect(hrefOf(from, target)).toBe(href)
  })

  test('and pictures are those of docs/screenshots only', () => {
    expect(pictureOf('docs/portal.md', 'screenshots/home.webp')).toBe('/docs/screenshots/home.webp')
    for (const target of ['https://x.example/a.webp', '../data/a.webp', 'screenshots/../a.webp', 'screenshots/a.svg'])
      expect([target, pictureOf('docs/portal.md', target)]).toEqual([target, undefined])
    expect(nameOf('examples/unlisted.md')).toBeUndefined()
  })
})

describe('Markdown becomes', () => {
  test('text, where it has HTML', () => {
    const { body, title } = render(
      '# <b>A</b>\n\n<script>alert(1)</script>\n\nan <img src=x onerror=alert(1)> and &lt;',
    )
    expect(body.text).not.toMatch(/<(script|img|b)\b/)
    expect(body.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(title).toBe('<b>A</b>')
  })

  test('code to copy, tables that scroll, pictures that load late, links of the portal', () => {
    const { body } = render(
      '# A\n\n```js\na < b\n```\n\n| n | right |\n|---|--:|\n| `ab` | 1 |\n\n![alt "text"](screenshots/a.webp)\n\n[x](b.md#c) [y](../core/a.ts) [b.md](b.md#c) [c.md](c.md)',
    )
    expect(body.text).toContain('<code id="code-block-1">a &lt; b</code>')
    expect(body.text).toContain('data-copy="code-block-1"')
    expect(body.text).toMatch(/<div class="table"[^>]* aria-label="Table 1" tabindex="0"><table><thead><tr><th>n<\/th>/)
    expect(body.text).toContain('<td class="number">1</td>')
    expect(body.text).toMatch(/<img [^>]*alt="alt &quot;text&quot;" width="4" height="3" loading="lazy">/)
    expect(body.text).toContain(
      '<a href="/docs/b#c">x</a> y <a href="/docs/b#c">Title &lt;of&gt; b</a> <a href="/docs/c">c.md</a>',
    )
  })
})

describe('the search', () => {
  const place = (href: string, text: string, words: string) => ({
    href,
    text,
    words,
    title: 'Guide',
    anchor: 'x',
    depth: 2,
    weight: 1,
  })
  const found = async (query: string) =>
    (
      await GuideSearch.over([
        place('/body', 'Other', `${'word '.repeat(60)}a webhook is called with a signature ${'word '.repeat(90)}`),
        place('/heading', 'Webhook', 'what it does'),
        place('/phrase', 'Third', 'the launch token is a secret of the launch'),
        place('/apart', 'Fourth', 'a token, and later the launch'),
        place('/odd', 'Marks', 'a = b <b> $& x.* (y) État XAPI_ENDPOINT'),
      ])
    ).find(query)
  const hrefs = async (query: string) => (await found(query)).map(({ href }) => href)

  test.each([
    ['webhook', ['/heading', '/body']],
    ['webh', ['/heading', '/body']],
    ['SIGNATURE webhook', ['/body']],
    ['launch token', ['/phrase', '/apart']],
    ['webhok', ['/heading', '/body']],
    ['xapi_endpoint', ['/odd']],
    ['éta', ['/odd']],
    ['ebhook', ['/heading', '/body']],
    ['nowhere', []],
    ['=<>*.(', []],
    ['', []],
  ])('%s', async (query, expected) => {
    expect(await hrefs(query)).toEqual(expected)
  })

  test('shows the words around the first that was found, marked, and whole', async () => {
    const { excerpt, heading, title } = (await found('signature webh'))[0]!
    expect(excerpt[1]).toBe('webhook')
    expect(excerpt[3]).toBe('signature')
    const text = excerpt.join('')
    expect(text).toMatch(/^… word .* word …$/)
    expect(text.length).toBeLessThan(350)
    expect([title, heading]).toEqual([['Guide'], ['Other']])
  })

  test('reads a bounded part of what is asked', async () => {
    const long = `webhook ${'x'.repeat(guideSearch.characters)}`
    expect(await hrefs(long)).toEqual(['/heading', '/body'])
    expect(await hrefs(Array.from({ length: 1000 }, (_, n) => `w${n}`).join(' '))).toEqual([])
  })
})
