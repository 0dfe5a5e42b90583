import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import yauzl from 'yauzl'
import { clientPackages, packClient } from './client-packages.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** Names and texts of the files in a zip, as another program reads them. */
async function filesIn(zip: Buffer): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const reader = await yauzl.fromBufferPromise(zip)
  for await (const entry of reader.eachEntry())
    files.set(entry.fileName, await text(await reader.openReadStreamPromise(entry)))
  return files
}

test.each([
  ['games-lrs-godot3.zip', 'godot/godot3', 'addons/games_lrs/plugin.cfg'],
  ['games-lrs-godot4.zip', 'godot/godot4', 'addons/games_lrs/sender.gd'],
  ['games-lrs-python.zip', 'python', 'games_lrs/client.py'],
  ['games-lrs-unity.zip', 'unity', 'Runtime/Core/Client.cs'],
] as const)('%s has what its guide says, and nothing of the tests', async (name, folder, path) => {
  const zip = packClient(clientPackages[name]!)
  expect(packClient(clientPackages[name]!)).toEqual(zip)
  const files = await filesIn(zip)
  expect(files.get(path)).toBe(readFileSync(join(root, 'clients', folder, path), 'utf8'))
  expect([...files.keys()].filter((name) => /conformance|test|example/.test(name))).toEqual([])
  expect(readFileSync(join(root, 'clients', folder.split('/')[0]!, 'README.md'), 'utf8')).toContain(name)
})

test('the zips for Godot have licence and guide inside the add-on, as its library of assets wants', async () => {
  for (const version of [3, 4]) {
    const files = await filesIn(packClient(clientPackages[`games-lrs-godot${version}.zip`]!))
    expect([...files.keys()].filter((name) => !name.startsWith('addons/games_lrs/'))).toEqual([])
    expect(files.get('addons/games_lrs/LICENSE')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'))
    expect(files.get('addons/games_lrs/README.md')).toContain('# Client for Godot')
  }
})

test.each([
  ['javascript/package.json', 'javascript/games-lrs.ts', 'games-lrs.js'],
  ['godot/godot4/addons/games_lrs/plugin.cfg', 'godot/godot4/addons/games_lrs/games_lrs.gd', 'games-lrs.gd'],
  ['python/pyproject.toml', 'python/games_lrs/statements.py', 'games-lrs.py'],
  ['unity/package.json', 'unity/Runtime/Core/Statements.cs', 'games-lrs.cs'],
  ['unity/DotNet~/GamesLrs.csproj', 'unity/Runtime/Core/Statements.cs', 'games-lrs.cs'],
])('the version of %s is the one that its statements tell', (manifest, source, name) => {
  const [, version] = /version(?:"?\s*[:=]\s*"|>)(\d+\.\d+\.\d+)/i.exec(
    readFileSync(join(root, 'clients', manifest), 'utf8'),
  )!
  expect(readFileSync(join(root, 'clients', source), 'utf8')).toContain(`${name} ${version}`)
})

test('the image for operators has the files of the packages', () => {
  const dockerfile = readFileSync(join(root, 'ops/Dockerfile'), 'utf8')
  const sent = readFileSync(join(root, 'ops/Dockerfile.dockerignore'), 'utf8')
  for (const { from } of Object.values(clientPackages)) {
    expect(dockerfile).toContain(`COPY clients/${from}`)
    expect(sent).toContain(`!clients/${from}`)
  }
})
