import { expect, test } from 'vitest'
import { createAdmission, overloaded } from './admission.ts'

function clocked() {
  let time = 0
  const told: number[] = []
  const open: [caller: string, end: () => void, done: Promise<unknown>][] = []
  const admission = createAdmission((refused) => told.push(refused), () => time)
  /** How many of so many are let in; they stay until they are ended. */
  const ask = async (count: number, caller = 'game'): Promise<number> => {
    let refused = 0
    for (let n = 0; n < count; n++) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const done = admission.take(caller, () => promise).catch((error: unknown) => {
        expect(error).toBe(overloaded)
        refused++
      })
      open.push([caller, resolve, done])
    }
    await Promise.resolve().then(() => {}).then(() => {})
    return count - refused
  }
  /** The oldest so many have their answer. */
  const end = async (count: number): Promise<void> => {
    for (const [, resolve, done] of open.splice(0, count)) {
      resolve()
      await done
    }
  }
  return { admission, told, ask, end, pass: (ms: number) => (time += ms) }
}

test('at first 512 are let in, then more while answers are quick', async () => {
  const { ask, end, pass } = clocked()
  expect(await ask(800)).toBe(512)
  pass(100)
  await end(800)
  expect(await ask(800)).toBeGreaterThan(512)
})

test('when they are slow, as many as are done in half a second, and never fewer than 64', async () => {
  const { ask, end, pass } = clocked()
  await ask(512)
  pass(1_100)
  await end(400)
  // 112 are still under way
  expect(await ask(800)).toBe(288)
  await end(112 + 800)
  await ask(100)
  for (let n = 0; n < 100; n++) {
    pass(100)
    await end(1)
  }
  expect(await ask(800)).toBe(64)
})

test('a few that are slow by themselves take nothing from others', async () => {
  const { ask, end, pass } = clocked()
  expect(await ask(20)).toBe(20)
  pass(5_000)
  await end(20)
  expect(await ask(800)).toBe(512)
})

test('who asks for little is let in beside one that floods', async () => {
  const { ask } = clocked()
  expect(await ask(2000, 'flood')).toBe(512)
  expect(await ask(10, 'other')).toBe(10)
  expect(await ask(1, 'flood')).toBe(0)
  // strangers who call themselves something else each time come no further than a quarter more
  let strangers = 0
  for (let n = 0; n < 800; n++) strangers += await ask(1, `stranger ${n}`)
  expect(strangers).toBe(118)
})

test('before its body is read it is refused, and of the many refused it is told now and then', async () => {
  const { admission, ask, pass, told } = clocked()
  await ask(512)
  for (let n = 0; n < 50; n++) expect(() => admission.expectRoom('game')).toThrow(overloaded)
  expect(told).toEqual([1])
  pass(10_000)
  expect(() => admission.expectRoom('game')).toThrow(overloaded)
  expect(told).toEqual([1, 50])
})
