// What the add-ons promise that needs no Godot. In Godot itself: clients/conformance, and test/engine-samples.test.ts.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'
import { verbs } from '../javascript/verbs.ts'
import { forGodot3 } from './build.ts'

const folder = import.meta.dirname
const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
const addOn = (version: 3 | 4, file: string): string => read(`godot${version}/addons/games_lrs/${file}`)
const methods = (source: string): string[] =>
  [...source.matchAll(/^func ([a-z]\w*)\(/gm)].map(([, name]) => name).filter((name) => !name.startsWith('_'))

test('both add-ons have the same files and the same version, and engine.gd has the same functions', () => {
  const [three, four] = ([3, 4] as const).map((version) => ({
    files: readdirSync(join(folder, `godot${version}/addons/games_lrs`)).filter(
      (name) => !/\.(uid|import)$/.test(name),
    ),
    about: addOn(version, 'plugin.cfg'),
    engine: [...addOn(version, 'engine.gd').matchAll(/^static func .*/gm)].map(([line]) => line),
  }))
  expect(three).toEqual(four)
  expect(three.about).toMatch(/^version="\d+\.\d+\.\d+"$/m)
})

test.each([
  'return a.filter(func(b): return b > 1)',
  'return a.slice(1)',
  'await a.b().c',
  'if await a.b():',
  'if b not in a:',
  'a.b.connect(func(): c())',
  'var b: Array[int] = a',
  'return "&".join(a.b)',
  'return FileAccess.open(a, 1)',
  'return Time.get_time_string_from_system()',
])('nothing is made for Godot 3 of what the table does not have: %s', (line) => {
  const source = (text: string) => `extends RefCounted\n\n\nfunc c(a, b):\n\t${text}\n`
  expect(forGodot3('c.gd', source('return a.is_empty()'))).toContain(
    'extends Reference\n\n\nfunc c(a, b):\n\treturn a.empty()\n',
  )
  expect(() => forGodot3('c.gd', source(line))).toThrow('does not know what Godot 3 has for')
})

test('what the guide calls is there', () => {
  const guide = read('README.md')
  const called = new Set([...guide.matchAll(/GamesLrs\.(\w+)\(/g)].map(([, name]) => name))
  expect(methods(addOn(3, 'games_lrs.gd'))).toEqual(expect.arrayContaining([...called]))
  const named = [...guide.matchAll(/^\| `(\w+)\(/gm)].map(([, name]) => name)
  const all = [...methods(addOn(3, 'games_lrs.gd')), ...methods(addOn(3, 'documents.gd'))]
  expect(all.filter((name) => !(name in verbs)).toSorted()).toEqual(named.toSorted())
  for (const verb of Object.keys(verbs)) expect(guide).toContain(`\`${verb}\``)
})

test('the verbs are those of the client for JavaScript, each a method', () => {
  const [, list] = /^const VERBS = \{\n(.*?)^\}/ms.exec(addOn(4, 'statement.gd'))!
  const known = Object.fromEntries([...list.matchAll(/"(\w+)": "(\S+)"/g)].map(([, name, iri]) => [name, iri]))
  expect(known).toEqual(verbs)
  const node = addOn(4, 'games_lrs.gd')
  for (const verb of Object.keys(verbs)) {
    expect(node).toContain(
      `func ${verb}(activity = null, result = null) -> String:\n\treturn send(Statement.of("${verb}", activity, result))`,
    )
  }
})

/** The script that the add-ons run in a page, in a page of this address. */
function page(address: string, answer?: object) {
  const [, script] = /^const SCRIPT = """\n(.*?)^"""/ms.exec(addOn(3, 'browser.gd'))!
  const asked: { url: string; init: RequestInit }[] = []
  const all: [string, (event: object) => void][] = []
  const listeners: Record<string, (event: object) => void> = {
    message: (event) => all.forEach(([name, listen]) => name === 'message' && listen(event)),
    pagehide: (event) => all.forEach(([name, listen]) => name === 'pagehide' && listen(event)),
  }
  const parent = { postMessage: (message: object) => void asked.push({ url: JSON.stringify(message), init: {} }) }
  const window = {
    location: new URL(address),
    URLSearchParams,
    setTimeout,
    parent,
    document: { visibilityState: 'hidden', addEventListener: () => {} },
    addEventListener: (name: string, listen: (event: object) => void) => all.push([name, listen]),
    removeEventListener: () => {},
    async fetch(url: string, init: RequestInit) {
      asked.push({ url, init })
      return { json: async () => answer }
    },
    // oxlint-disable-next-line typescript/no-explicit-any
    gamesLrs: undefined as any,
  }
  const context = createContext(Object.assign(window, { window }))
  runInContext(script, context)
  return { lrs: window.gamesLrs, asked, listeners, parent }
}

const launch = { endpoint: 'https://lrs.example/xapi/', auth: 'Bearer a', activity_id: 'https://lrs.example/g' }

test('the script for pages is the same in both', () => {
  const script = (version: 3 | 4) => /const SCRIPT = .*?^"""$/ms.exec(addOn(version, 'browser.gd'))![0]
  expect(script(3)).toBe(script(4))
})

test('a page finds its launch in its address at once', () => {
  const { lrs, asked } = page(`https://games.example/b/1/?${new URLSearchParams(launch)}#/?session=s`)
  lrs.look(false)
  expect(JSON.parse(lrs.launch)).toEqual(launch)
  expect(asked).toEqual([])
})

test('else in launch.json, with the session of the fragment; also when the token of the address has ended', async () => {
  const { lrs, asked } = page(`https://games.example/b/1/?${new URLSearchParams(launch)}#/?session=s`, {
    ...launch,
    auth: 'Bearer b',
  })
  lrs.look(true)
  expect(lrs.launch).toBe('')
  await expect.poll(() => lrs.launch).toContain('Bearer b')
  expect(asked).toMatchObject([{ url: 'launch.json', init: { headers: { Authorization: 'Bearer s' } } }])
})

test('else from the page around it, and from no other page', async () => {
  const { lrs, asked, listeners, parent } = page('https://games.example/b/1/')
  lrs.look(false)
  await expect.poll(() => asked).toEqual([{ url: '{"type":"xapi-launch-request"}', init: {} }])
  listeners['message']({ source: {}, data: { type: 'xapi-launch', ...launch } })
  expect(lrs.launch).toBe('')
  listeners['message']({ source: parent, data: { type: 'xapi-launch', ...launch } })
  expect(JSON.parse(lrs.launch)).toMatchObject(launch)
  const alone = page('https://games.example/b/1/')
  alone.lrs.look(false)
  await expect.poll(() => alone.lrs.launch).toBe('null')
})

test('the page around a game, and no other, pauses it', () => {
  const { lrs, listeners, parent } = page('https://games.example/b/1/')
  const after = (source: object, type: string) => {
    listeners['message']({ source, data: { type } })
    return lrs.paused
  }
  expect([lrs.paused, after({}, 'xapi-pause'), after(parent, 'xapi-pause')]).toEqual([false, false, true])
  expect([after({}, 'xapi-resume'), after(parent, 'xapi-resume')]).toEqual([true, false])
})

test('a page that goes away sends what waits, in a request that outlives it', async () => {
  const { lrs, asked, listeners } = page('https://games.example/b/1/')
  listeners['pagehide']({})
  await sleep(0)
  expect(asked).toEqual([])
  lrs.last = { url: 'https://lrs.example/xapi/statements', headers: { Authorization: 'Bearer a' }, body: '[{}]' }
  listeners['pagehide']({})
  expect(asked).toMatchObject([
    { url: lrs.last.url, init: { method: 'POST', keepalive: true, body: '[{}]', headers: lrs.last.headers } },
  ])
})

test('the licence is that of the project', () => {
  expect(read('LICENSE')).toBe(read('../../LICENSE'))
})
