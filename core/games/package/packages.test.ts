import { expect, test } from 'vitest'
import { packages } from './packages.ts'

test('a studio with many builds to check keeps no other from having its own checked', async () => {
  const line = packages({
    storage: { kind: 'local', folder: '/nowhere', key: Buffer.alloc(32) },
    maxExpanded: 1_000,
    atOnce: 2,
    timeout: 60_000,
  })
  const ended: string[] = []
  // there is no such upload: each of them ends with a refusal, after a thread has looked
  const check = async (studio: number, name: string) => {
    const unpacked = line.unpack({ key: 'uploads/none', fileName: 'game.zip', prefix: `builds/${name}/`, studio })
    await expect(unpacked).rejects.toThrow()
    ended.push(name)
  }
  const all = Array.from({ length: 5 }, (_, n) => check(1, `flood${n}`))
  all.push(check(2, 'other'))
  await Promise.all(all)
  // two run at a time; a busy machine may start the thread of the other one late
  expect(ended.indexOf('other')).toBeLessThan(4)
  await line.close()
})
