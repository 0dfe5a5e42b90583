import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { watchServers } from './watch-servers.ts'

const folder = mkdtempSync(join(tmpdir(), 'lrs-servers-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a changed file is in use; a wrong one is refused with one line, and the last addresses stay', async () => {
  const file = join(folder, 'servers')
  writeFileSync(file, 'east=postgres://one/lrs\n')
  const lines: string[] = []
  const log = { info: (_: object, text: string) => lines.push(text), error: (text: string) => lines.push(text) }
  const { current, close } = watchServers(new Map([['east', 'postgres://one/lrs']]), file, log as never, 5)
  const now = () => Object.fromEntries(current())
  writeFileSync(file, 'east=postgres://two/lrs,west=postgres://u:secret@three/lrs')
  const changed = { east: 'postgres://two/lrs', west: 'postgres://u:secret@three/lrs' }
  await expect.poll(now).toEqual(changed)
  writeFileSync(file, 'east=http://u:secret@three/lrs')
  await expect.poll(() => lines.length).toBe(2)
  rmSync(file)
  await expect.poll(() => lines.length).toBe(3)
  expect(now()).toEqual(changed)
  writeFileSync(file, 'west=postgres://four/lrs')
  await expect.poll(now).toEqual({ west: 'postgres://four/lrs' })
  close()
  expect(lines).toEqual([
    'LRS_CELL_SERVERS_FILE has changed, and is in use',
    expect.stringMatching(/^LRS_CELL_SERVERS_FILE has an entry that is not usable.* The last addresses stay in use\.$/),
    expect.stringMatching(/^LRS_CELL_SERVERS_FILE names a file that cannot be read \(ENOENT\)\. The last/),
    'LRS_CELL_SERVERS_FILE has changed, and is in use',
  ])
  expect(lines.join()).not.toContain('secret')
})
