import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { verbs } from '../clients/javascript/verbs.ts'

// What holds of the package for Unity without a runtime. The client in its runtime: clients/conformance.

const folder = resolve(import.meta.dirname, '../clients/unity')
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8')
/** What Unity imports: it leaves out folders with ~. */
const imported = globSync('**/*', { cwd: folder }).filter((path) => !path.includes('~'))
const assets = imported.filter((path) => !path.endsWith('.meta'))
const core = globSync('Runtime/Core/*.cs', { cwd: folder }).map(textOf).join('\n')

test('verbs are those of the client for JavaScript, and each is a method', () => {
  const [, adl, profile] = /Adl = "(.+)";[\s\S]*Profile = "(.+)";/.exec(textOf('Runtime/Core/Verbs.cs'))!
  const given = textOf('Runtime/Core/Verbs.cs').matchAll(/\{ "(\w+)", (Adl|Profile)?(?: \+ )?"(.+)" \}/g)
  const own = Array.from(given, ([, name, space, rest]) => [
    name,
    `${space === 'Adl' ? adl : space === 'Profile' ? profile : ''}${rest}`,
  ])
  expect(Object.fromEntries(own)).toEqual(verbs)
  for (const name of Object.keys(verbs)) {
    const method = `${name[0]!.toUpperCase()}${name.slice(1)}`
    expect(core).toContain(
      `public string ${method}(Activity activity = null, Result result = null) { return Say("${name}",`,
    )
  }
})

test('every file that Unity imports has its .meta, every .meta its file, and no guid is there twice', () => {
  expect(assets.filter((path) => !imported.includes(`${path}.meta`))).toEqual([])
  const metas = imported.filter((path) => path.endsWith('.meta'))
  expect(metas.filter((path) => !existsSync(join(folder, path.slice(0, -'.meta'.length))))).toEqual([])
  const guids = metas.map((path) => /^guid: ([0-9a-f]{32})$/m.exec(textOf(path))![1])
  expect(guids.filter((guid, n) => guids.indexOf(guid) !== n)).toEqual([])
})

test('the manifests name what is there', () => {
  const { name, version, samples } = JSON.parse(textOf('package.json'))
  expect(name).toMatch(/^[a-z-]+(\.[a-z-]+){2}$/)
  expect(textOf('CHANGELOG.md')).toContain(`\n## ${version}\n`)
  expect(samples.filter(({ path }: { path: string }) => !existsSync(join(folder, path)))).toEqual([])
  expect(JSON.parse(textOf('Runtime/Core/GamesLrs.Core.asmdef'))).toMatchObject({ noEngineReferences: true })
  expect(JSON.parse(textOf('Runtime/Unity/GamesLrs.Unity.asmdef'))).toMatchObject({ references: ['GamesLrs.Core'] })
  expect(core).not.toMatch(/UnityEngine|System\.Net\.Http/)
  expect(textOf('LICENSE')).toBe(textOf('../../LICENSE'))
})

test('every name that the README has is one of the code', () => {
  const readme = textOf('README.md')
  const methods = Array.from(
    readme.matchAll(/(?<![\w-])(?:lrs|saves|Client|Json|JsonUtility)\.(\w+)/g),
    ([, name]) => name!,
  )
  const members = Array.from(readme.matchAll(/new (?:Activity|Result|ClientOptions) \{ ([\w, ]+) \}/g), ([, names]) =>
    names!.split(', '),
  ).flat()
  expect(methods.length).toBeGreaterThan(15)
  expect(members.length).toBeGreaterThan(15)
  const own = [...new Set([...methods, ...members])].filter((name) => !['ToJson', 'FromJson'].includes(name))
  const code = core + textOf('DotNet~/DotNetHttp.cs')
  expect(own.filter((name) => !new RegExp(`public (?!sealed|static class)[^(;=]*\\b${name}\\b`).test(code))).toEqual([])
})

/** The script for pages, in a page of its own, with what emscripten gives it. */
function page({ search = '', hash = '', document }: { search?: string; hash?: string; document?: object } = {}) {
  const texts: string[] = []
  const listeners: Record<string, (event: object) => void> = {}
  const posted: unknown[] = []
  const sent: unknown[] = []
  const parent = { postMessage: (data: unknown) => posted.push(data) }
  const listen = (name: string, heard: (event: object) => void): void => void (listeners[name] = heard)
  const library: Record<string, (...parameters: unknown[]) => number> = {}
  const scope: Record<string, unknown> = {
    LibraryManager: { library },
    mergeInto: Object.assign,
    window: { parent, addEventListener: listen },
    document: { addEventListener: listen, visibilityState: 'hidden' },
    location: { search, hash },
    URLSearchParams,
    XMLHttpRequest: class {
      status = document ? 200 : 404
      responseText = JSON.stringify(document)
      readonly open = (...given: unknown[]) => sent.push(given)
      readonly setRequestHeader = (...given: unknown[]) => sent.push(given)
      readonly send = () => {}
    },
    fetch: (...given: unknown[]) => (sent.push(given), Promise.resolve()),
    SendMessage: (...given: unknown[]) => posted.push(given),
    FS: { syncfs: (_: boolean, done: () => void) => sent.push(done) },
    UTF8ToString: (text: string) => text,
    lengthBytesUTF8: (text: string) => text.length,
    _malloc: () => texts.length,
    stringToUTF8: (text: string) => texts.push(text),
  }
  runInNewContext(textOf('Runtime/Unity/Plugins/WebGL/games-lrs.jslib'), scope)
  scope['GamesLrsPage'] = library['$GamesLrsPage']
  const launch = (again = false): unknown => JSON.parse(texts[library['GamesLrsLaunch']!(again)]! || 'null')
  return { library, launch, listeners, posted, sent, parent }
}

test('a page finds its launch context in the query, in launch.json, or in a message', () => {
  const given = { endpoint: 'https://lrs.example/xapi/', auth: 'Bearer a' }
  const query = page({ search: `?${new URLSearchParams(given)}` })
  expect(query.launch()).toEqual(given)
  const fetched = page({ hash: '#/?session=s', document: { ...given, auth: 'Bearer b' } })
  expect(fetched.launch()).toMatchObject({ auth: 'Bearer b' })
  expect(fetched.sent).toEqual([
    ['GET', 'launch.json', false],
    ['Authorization', 'Bearer s'],
  ])
  // after a 401 the query is the old one
  const both = page({
    search: `?${new URLSearchParams(given)}`,
    hash: '#/?session=s',
    document: { ...given, auth: 'Bearer c' },
  })
  expect([both.launch(), both.launch(true)]).toMatchObject([{ auth: 'Bearer a' }, { auth: 'Bearer c' }])
  const framed = page()
  framed.library['GamesLrsListen']!()
  expect(framed.launch()).toBeNull()
  expect(framed.posted).toEqual([{ type: 'xapi-launch-request' }])
  framed.listeners['message']!({ source: {}, data: { type: 'xapi-launch', ...given } })
  expect(framed.launch()).toBeNull()
  framed.listeners['message']!({ source: framed.parent, data: { type: 'xapi-launch', ...given } })
  expect(framed.launch()).toMatchObject(given)
})

test('the page around a game, and no other, pauses it', () => {
  const { library, listeners, posted, parent } = page()
  library['GamesLrsListen']!()
  for (const [source, type] of [
    [{}, 'xapi-pause'],
    [parent, 'xapi-pause'],
    [parent, 'xapi-resume'],
  ])
    listeners['message']!({ source, data: { type } })
  expect(posted.slice(1)).toEqual([
    ['GamesLrs', 'OnPagePaused', 1],
    ['GamesLrs', 'OnPagePaused', 0],
  ])
})

test('a page that is left tells the game, and sends what outlives it', () => {
  const { library, listeners, posted, sent } = page()
  library['GamesLrsListen']!()
  listeners['visibilitychange']!({})
  listeners['pagehide']!({})
  expect(posted.slice(1)).toEqual([
    ['GamesLrs', 'OnPageHidden'],
    ['GamesLrs', 'OnPageHidden'],
  ])
  library['GamesLrsSendLast']!('https://lrs.example/xapi/statements', '{"Authorization":"Bearer a"}', '[]')
  const init = { method: 'POST', headers: { Authorization: 'Bearer a' }, body: '[]', keepalive: true }
  expect(sent).toEqual([['https://lrs.example/xapi/statements', init]])
})

test('files are saved one time after the other, and once more when some came meanwhile', () => {
  const { library, sent } = page()
  for (let n = 0; n < 3; n++) library['GamesLrsSave']!()
  expect(sent).toHaveLength(1)
  ;(sent[0] as () => void)()
  expect(sent).toHaveLength(2)
  ;(sent[1] as () => void)()
  expect(sent).toHaveLength(2)
})
