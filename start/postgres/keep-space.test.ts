import { expect, test } from 'vitest'
import { watchSpace, type Writes } from './keep-space.ts'

const MiB = 1024 * 1024

/** A disk whose room the test sets, and what was set on the server. */
function disk(writes: Writes = 'all', reserve?: number) {
  const set: Writes[] = []
  const state = { free: 5_000 * MiB, total: 100_000 * MiB, fails: false, set }
  const look = watchSpace({
    writes,
    reserve,
    measure: async () => state,
    async set(writes) {
      if (state.fails) throw new Error('the server starts')
      set.push(writes)
    },
  })
  return Object.assign(state, { look })
}

test('below 512 MiB essential writes, below 128 none, all again with a quarter more; nothing is set twice', async () => {
  const one = disk()
  for (const free of [513, 511, 129, 127, 20, 129, 159, 161, 513, 639, 641, 600, 511]) {
    one.free = free * MiB
    await one.look()
  }
  expect(one.set).toEqual(['essential', 'none', 'essential', 'all', 'essential'])
})

test('a small disk keeps a twentieth; what is given counts, 0 as well', async () => {
  for (const [reserve, low, high, writes] of [
    [undefined, 49, 51, 'essential'],
    [10 * MiB, 9, 11, 'essential'],
    [0, -1, 0, 'none'],
  ] as const) {
    const one = disk('all', reserve)
    one.total = 1_000 * MiB
    one.free = high * MiB
    await one.look()
    expect(one.set).toEqual([])
    one.free = low * MiB
    await one.look()
    expect(one.set).toEqual([writes])
  }
})

test('what an earlier start left set is taken back; what fails is tried again', async () => {
  const one = disk('none')
  one.fails = true
  await expect(one.look()).rejects.toThrow()
  one.fails = false
  await one.look()
  expect(one.set).toEqual(['all'])
})
