import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Refusal } from '../refusal.ts'
import { repeat } from './repeat.ts'

function repeated(once: (ending: AbortSignal, run: number) => Promise<unknown>, everyMs = 60_000) {
  const log = { debug: vi.fn(), warn: vi.fn() }
  let runs = 0
  const loop = repeat({ everyMs, failed: 'it failed', log }, (ending) => once(ending, ++runs))
  onTestFinished(loop.stop)
  return { ...loop, log, runs: () => runs }
}

test('runs at once, then at intervals, also after a failure', async () => {
  const { runs, log } = repeated(async (_, run) => {
    if (run === 1) throw new Error('broken')
    if (run === 2) throw new Refusal('unavailable', 'away', { away: true })
  }, 5)
  await vi.waitFor(() => expect(runs()).toBeGreaterThan(3))
  expect(log.warn.mock.calls).toEqual([[{ err: new Error('broken') }, 'it failed']])
  expect(log.debug).toHaveBeenCalledTimes(1)
})

test('runs once more when it is woken in a pause or during a run', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { runs, wake } = repeated(async (_, run) => gates[run - 1]?.promise)
  wake()
  gates[0]!.resolve()
  await vi.waitFor(() => expect(runs()).toBe(2))
  gates[1]!.resolve()
  await pause(20)
  expect(runs()).toBe(2)
  wake()
  await vi.waitFor(() => expect(runs()).toBe(3))
})

test('stops after the run under way, which is told', async () => {
  let told = false
  const { runs, stop } = repeated(
    (ending) =>
      new Promise<void>((done) => ending.addEventListener('abort', () => setTimeout(done, 20))).then(
        () => void (told = true),
      ),
    1,
  )
  await stop()
  expect([runs(), told]).toEqual([1, true])
  await pause(20)
  expect(runs()).toBe(1)
})
