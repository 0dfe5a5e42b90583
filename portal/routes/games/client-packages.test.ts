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
  ['games-lrs-unity.zip', 'unity', 'Runtime/Core/Client.cs'],
] as const)('%s has what its guide says, and nothing of the tests', async (name, folder, path) => {
  const zip = packClient(clientPackages[name]!)
  expect(packClient(clientPackages[name]!)).toEqual(zip)
  const files = await filesIn(zip)
  expect(files.get(path)).toBe(readFileSync(join(root, 'clients', folder, path), 'utf8'))
  expect([...files.keys()].filter((name) => /conformance|test|example/.test(name))).toEqual([])
  expect(readFileSync(join(root, 'clients', folder.split('/')[0]!, 'README.md'), 'utf8')).toContain(name)
})

test('the image for operators has the files of the packages', () => {
  const dockerfile = readFileSync(join(root, 'ops/Dockerfile'), 'utf8')
  const sent = readFileSync(join(root, 'ops/Dockerfile.dockerignore'), 'utf8')
  for (const { from } of Object.values(clientPackages)) {
    expect(dockerfile).toContain(`COPY clients/${from}`)
    expect(sent).toContain(`!clients/${from}`)
  }
})
