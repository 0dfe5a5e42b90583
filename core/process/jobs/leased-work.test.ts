import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { deliveries as limits } from '../../../shared/limits.ts'
import { jobs } from './jobs.ts'
import { startLeasedWork, type LeasedOptions, type LeasedWork } from './leased-work.ts'

interface Row {
  readonly id: number
  readonly host: string
}

const log = { debug: () => {}, warn: () => {} }

/** Rows in memory that are due once, and a deliverer that ends when the test says so. */
function started(rows: readonly Row[], changes: Partial<LeasedWork<Row>> = {}, options: Partial<LeasedOptions> = {}) {
  const due = [...rows]
  const begun: Row[] = []
  const done: Row[] = []
  const released: Row[] = []
  const gates = new Map<number, PromiseWithResolvers<void>>()
  const { stop, wake } = startLeasedWork<Row>(
    {
      name: 'test',
      async lease(_seconds, busy) {
        const at = due.findIndex(({ host }) => !busy.includes(host))
        return at < 0 ? undefined : due.splice(at, 1)[0]
      },
      owner: ({ host }) => host,
      host: ({ id }) => `host ${id}`,
      renew: async () => true,
      release: async (row) => void released.push(row),
      async deliver(row, signal) {
        begun.push(row)
        const gate = Promise.withResolvers<void>()
        gates.set(row.id, gate)
        signal.addEventListener('abort', () => gate.reject(new Error('aborted')))
        await gate.promise
        done.push(row)
      },
      ...changes,
    },
    { everyMs: 5, jobs: jobs(), log, atOnce: 4, atOnceOfOne: 2, leaseSeconds: 60, ...options },
  )
  onTestFinished(stop)
  const ids = (list: readonly Row[]) => list.map(({ id }) => id)
  return {
    due,
    stop,
    wake,
    begun: () => ids(begun),
    done: () => ids(done),
    released: () => ids(released),
    end: (id: number) => gates.get(id)!.resolve(),
  }
}

const slow = [1, 2, 3, 4, 5].map((id) => ({ id, host: 'slow' }))

test('one owner never has all slots, so a dead target delays only its own', async () => {
  const { begun, end, due } = started([...slow, { id: 6, host: 'good' }])
  await vi.waitFor(() => expect(begun()).toEqual([1, 2, 6]))
  await pause(30)
  expect(begun()).toEqual([1, 2, 6])
  end(6)
  due.push({ id: 7, host: 'good' }, { id: 8, host: 'other' }, { id: 9, host: 'third' })
  await vi.waitFor(() => expect(begun()).toEqual([1, 2, 6, 7, 8]))
  end(1)
  // the last slot is for one who has none
  await vi.waitFor(() => expect(begun()).toEqual([1, 2, 6, 7, 8, 9]))
})

test('twenty owners whose targets are silent keep nobody from a slot', async () => {
  const silent = Array.from({ length: 200 }, (_, id) => ({ id, host: `silent ${id % 20}` }))
  const { begun, done, due } = started(silent, {}, { atOnce: limits.atOnce, atOnceOfOne: limits.atOnceOfOne })
  await vi.waitFor(() => expect(begun().length).toBeGreaterThan(30))
  await pause(30)
  due.push({ id: 777, host: 'good' })
  await vi.waitFor(() => expect(begun()).toContain(777))
  expect(done()).toEqual([])
})

test('a free slot is used at once, and a call to wake too', async () => {
  const { begun, end, due, wake } = started(slow.slice(0, 3), {}, { everyMs: 60_000 })
  await vi.waitFor(() => expect(begun()).toEqual([1, 2]))
  end(1)
  await vi.waitFor(() => expect(begun()).toEqual([1, 2, 3]))
  due.push({ id: 9, host: 'new' })
  wake()
  await vi.waitFor(() => expect(begun()).toEqual([1, 2, 3, 9]))
})

test('a row that another core has is let go', async () => {
  const { begun, done, released, due } = started(
    [{ id: 1, host: 'a' }],
    { renew: async () => false },
    { leaseSeconds: 0.04, atOnce: 1 },
  )
  await vi.waitFor(() => expect(begun()).toEqual([1]))
  due.push({ id: 2, host: 'b' })
  await vi.waitFor(() => expect(begun()).toEqual([1, 2]))
  expect([done(), released()]).toEqual([[], []])
})

test('a core that ends lets go of its rows', async () => {
  const { begun, done, released, stop } = started(slow.slice(0, 2))
  await vi.waitFor(() => expect(begun()).toEqual([1, 2]))
  await stop()
  expect([done(), released()]).toEqual([[], [1, 2]])
})

test('what fails is logged and holds up nothing', async () => {
  const warn = vi.fn()
  const broken = started(
    slow,
    { deliver: async ({ id }) => Promise.reject(new Error(`no ${id}`)) },
    { log: { debug: () => {}, warn } },
  )
  await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(5))
  expect(broken.due).toEqual([])
})
