import { expect, test } from 'vitest'
import { watchSpace } from './keep-space.ts'

const MiB = 1024 * 1024

/** A disk whose room the test sets, and what was set on the server. */
function disk(isReadOnly = false, reserve?: number) {
  const set: boolean[] = []
  const state = { free: 5_000 * MiB, total: 100_000 * MiB, fails: false, set }
  const look = watchSpace({
    isReadOnly, reserve,
    measure: async () => state,
    async setReadOnly(on) {
      if (state.fails) throw new Error('the server starts')
      set.push(on)
    },
  })
  return Object.assign(state, { look })
}

test('no writes below 512 MiB, writes again only with a quarter more, and nothing is set twice', async () => {
  const one = disk()
  for (const free of [513, 511, 100, 513, 639, 641, 600, 511]) {
    one.free = free * MiB
    await one.look()
  }
  expect(one.set).toEqual([true, false, true])
})

test('a small disk keeps a twentieth; what is given counts, 0 as well', async () => {
  for (const [reserve, low, high] of [[undefined, 49, 51], [10 * MiB, 9, 11], [0, -1, 0]] as const) {
    const one = disk(false, reserve)
    one.total = 1_000 * MiB
    one.free = high * MiB
    await one.look()
    expect(one.set).toEqual([])
    one.free = low * MiB
    await one.look()
    expect(one.set).toEqual([true])
  }
})

test('what an earlier start left set is taken back; what fails is tried again', async () => {
  const one = disk(true)
  one.fails = true
  await expect(one.look()).rejects.toThrow()
  one.fails = false
  await one.look()
  expect(one.set).toEqual([false])
})
