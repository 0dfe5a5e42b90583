import { expect, test } from 'vitest'
import { paceOf } from './pace.ts'

/** Rests after steps of 100 ms, on two processors. @param idle share of the time in which they are */
function machine() {
  let time = 0
  const sum = { idle: 0, all: 0 }
  const state = { idle: 1 }
  const rests: number[] = []
  const pace = paceOf(
    () => ({ ...sum }),
    async (ms) => {
      rests.push(ms)
      time += ms + 100
      sum.all += 2 * ms
      sum.idle += 2 * ms * state.idle
    },
    () => time,
  )
  const work = async (steps: number) => {
    for (let n = 0; n < steps; n++) await pace.rest(100)
    return rests.at(-1)!
  }
  return { state, work, reached: pace.reached }
}

test('work that never gets done gives way while the processors are full, and only then', async () => {
  const { state, work } = machine()
  expect(await work(500)).toBe(5)
  state.idle = 0.02
  expect(await work(500)).toBe(900)
  state.idle = 0.6
  expect(await work(200)).toBe(5)
})

test('work that gets done again and again takes half of the time while the processors are full', async () => {
  const { state, work, reached } = machine()
  state.idle = 0
  await work(50)
  for (let n = 0; n < 50; n++) {
    reached()
    expect(await work(10)).toBe(100)
  }
})
