import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAdminSystem, type AdminSystem } from '../support/admin-system.ts'
import { failed } from '../support/admin.ts'
import { statements, verb } from '../support/statements.ts'
import { idsOf } from './statements.ts'

let { admin, next, close } = {} as AdminSystem
beforeAll(async () => {
  ;({ admin, next, close } = await startAdminSystem())
})
afterAll(() => close())

test('a dry run, a deletion by filter, one by a file of ids, the receipts, and their ids', async () => {
  const { game, folder } = await next()
  const [bad, wrong, good] = [statements(12, { verb: verb('exploded') }), statements(2), statements(1)]
  await game.xapi().post([...bad, ...wrong, ...good])
  const remove = (...args: string[]) => admin('statements', 'delete', '--game', game.id, ...args)
  const filter = ['--verb', verb('exploded').id]
  const said = async (...args: string[]) => {
    const { code, out, error } = await admin('statements', ...args)
    expect({ code, error: code === 0 ? '' : error }).toEqual({ code: 0, error: '' })
    return out
  }
  const dry = await said('delete', '--game', game.id, ...filter, '--dry-run')
  expect(dry).toMatch(/^statements +12$/m)
  expect(dry).toContain('Nothing was changed.')
  expect(await remove(...filter, '--yes')).toEqual(failed(/--reason is needed/, 2))
  expect(await remove(...filter, '--reason', 'a test build')).toEqual(failed(/Add --yes to confirm/, 2))
  expect(await remove('--reason', 'all', '--yes')).toEqual(failed(/must have at least one filter/))
  expect(await remove('--ids', 'missing.txt', '--dry-run')).toEqual(failed(/missing\.txt/))
  expect(await said('delete', '--game', game.id, ...filter, '--reason', 'a test build', '--yes')).toBe(
    `It has begun: "statements deletions --game ${game.id}" shows the receipt.`,
  )
  const receipts = async () => (await admin('statements', 'deletions', '--game', game.id)).out
  const ended = (count: number) => new RegExp(`^[0-9a-f-]{36}  \\S+ \\S+  \\S+ \\d\\S+ +${count} `, 'm')
  await expect.poll(receipts, { timeout: 60_000 }).toMatch(ended(12))
  await writeFile(join(folder, 'ids.txt'), `${idsOf(wrong).join('\n')}\n`)
  const one = JSON.parse(
    await said('delete', '--game', game.id, '--ids', 'ids.txt', '--reason', 'a slip', '--yes', '--json'),
  )
  await expect.poll(receipts, { timeout: 60_000 }).toMatch(ended(2))
  expect(await remove(...filter, '--reason', 'again', '--yes')).toEqual(failed(/nothing to delete/))
  expect(await said('deletions', '--game', game.id)).toMatch(/a slip[^]+a test build/)
  const ids = await said('deletions', '--game', game.id, '--ids', one.deletionId)
  expect(ids.trimEnd().split('\n')).toEqual(idsOf(wrong))
  expect(JSON.parse(await said('query', '--key', game.key, '--json')).id).toBe(good[0]!.id)
})
