import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createAdmission, overloaded } from './admission.ts'

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

function clocked() {
  const told: number[] = []
  const open: (() => void)[] = []
  let refused = 0
  const admission = createAdmission((count) => told.push(count))
  /** So many ask; those that are let in stay until they are ended. Answers how many are under way then, and how many wait. */
  const ask = async (count: number, caller = 'game') => {
    const before = { open: open.length, refused }
    for (let n = 0; n < count; n++) {
      const work = () => new Promise<void>((resolve) => void open.push(resolve))
      admission.take(caller, work).catch((error: unknown) => {
        expect(error).toBe(overloaded)
        refused++
      })
    }
    await pass(0)
    const letIn = open.length - before.open
    return { letIn, waiting: count - letIn - (refused - before.refused) }
  }
  /** The oldest so many have their answer. Those that wait come in for them. */
  const end = async (count: number): Promise<void> => {
    for (const done of open.splice(0, count)) done()
    await pass(0)
  }
  return { admission, told, ask, end, underWay: () => open.length, refused: () => refused }
}

test('at first 128 are let in, and a crowd of 512 waits for them', async () => {
  const { ask, end, underWay, refused } = clocked()
  expect(await ask(640)).toEqual({ letIn: 128, waiting: 512 })
  await pass(50)
  await end(128)
  expect(underWay()).toBeGreaterThanOrEqual(128)
  for (let n = 0; n < 5; n++) await end(underWay())
  expect([underWay(), refused()]).toEqual([0, 0])
})

test('while answers are quick more are let in', async () => {
  const { ask, end } = clocked()
  for (let n = 0; n < 20; n++) {
    await ask(200)
    await end(200)
  }
  expect((await ask(640)).letIn).toBeGreaterThan(200)
})

test('when some have waited in vain, no more wait than are done in a quarter of a second, or 64, until none did for five seconds', async () => {
  const { ask, end, underWay } = clocked()
  expect(await ask(700)).toEqual({ letIn: 128, waiting: 512 })
  await pass(510)
  expect(await ask(300)).toEqual({ letIn: 0, waiting: 64 })
  while (underWay() > 0) await end(underWay())
  await pass(5_000)
  expect((await ask(700)).waiting).toBeGreaterThan(200)
})

test('who has waited for half a second is refused', async () => {
  const { ask, refused } = clocked()
  await ask(130)
  await pass(499)
  expect(refused()).toBe(0)
  await pass(2)
  expect(refused()).toBe(2)
})

test('when they are slow, as many as are done in a quarter of a second, and never fewer than 32', async () => {
  const { ask, end, underWay } = clocked()
  await ask(128)
  await pass(600)
  await end(100)
  // 28 are still under way
  expect(await ask(500)).toEqual({ letIn: 72, waiting: 100 })
  await pass(600)
  while (underWay() > 0) {
    await pass(100)
    await end(1)
  }
  await pass(5_000)
  expect(await ask(500)).toEqual({ letIn: 32, waiting: 468 })
})

test('a few that are slow by themselves take nothing from others', async () => {
  const { ask, end } = clocked()
  expect((await ask(20)).letIn).toBe(20)
  await pass(5_000)
  await end(20)
  expect((await ask(500)).letIn).toBe(128)
})

test('who asks for little is let in beside one that floods', async () => {
  const { ask } = clocked()
  expect((await ask(2000, 'flood')).letIn).toBe(128)
  expect((await ask(10, 'other')).letIn).toBe(10)
  expect((await ask(1, 'flood')).letIn).toBe(0)
  // strangers who call themselves something else each time come no further than a quarter more
  let strangers = 0
  for (let n = 0; n < 200; n++) strangers += (await ask(1, `stranger ${n}`)).letIn
  expect(strangers).toBe(22)
})

test('it is refused before its body is read, and of the many refused it is told now and then', async () => {
  const { admission, ask, told } = clocked()
  await ask(641)
  expect(told).toEqual([1])
  for (let n = 0; n < 50; n++) expect(() => admission.expectRoom('game')).toThrow(overloaded)
  expect(told).toEqual([1])
  await pass(10_000)
  await ask(600)
  expect(told.length).toBe(2)
})
