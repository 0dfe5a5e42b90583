import { expect, test } from 'vitest'
import type { LaunchSession } from '../store/launches.ts'
import type { NumberedEvent } from '../store/sandbox-events.ts'
import type { Store } from '../../store.ts'
import { observers, type Seen } from './observe.ts'

const session = (sessionId: string, expires = Date.now() / 1000 + 60) => ({ sessionId, expires }) as LaunchSession

function stage(pollMs = 10_000, now?: () => number) {
  const kept: NumberedEvent[] = []
  const told = new Set<() => void>()
  const store = {
    sandboxEvents: {
      after: async (_session: string, after: number, limit: number) =>
        kept.filter(({ number }) => number > after).slice(0, limit),
      latest: async (_session: string, after: number) => ({ events: kept.filter(({ number }) => number > after) }),
    },
    sandboxNotices: {
      on: (_session: string, callback: () => void) => (told.add(callback), () => told.delete(callback)),
    },
  } as unknown as Store
  const add = (number: number, tell = true) => {
    kept.push({ number } as NumberedEvent)
    if (tell) for (const callback of told) callback()
  }
  return { add, told, all: observers(store, { ofSession: 2, ofStudio: 3, inAll: 4, pollMs, now }) }
}

const fox = { studioId: 'fox', isNew: false }
const always = async (): Promise<void> => {}

/** The numbers that an observer is given, as they come. */
function watch(seen: AsyncGenerator<Seen>) {
  const numbers: number[] = []
  const done = (async () => {
    for await (const { events } of seen) numbers.push(...events.map(({ number }) => number))
  })()
  return { numbers, done }
}

test('an observer is given what there is, then what comes, told or not, until it goes', async () => {
  const { add, all, told } = stage(20)
  for (let n = 1; n <= 250; n++) add(n)
  const leave = new AbortController()
  const { numbers, done } = watch(all.follow(session('a'), fox, 0, leave.signal, always))
  await expect.poll(() => numbers.length).toBe(250)
  add(251)
  add(252, false)
  await expect.poll(() => numbers.at(-1)).toBe(252)
  expect(numbers).toEqual(Array.from({ length: 252 }, (_, n) => n + 1))
  leave.abort()
  await done
  expect(told.size).toBe(0)
})

test('it ends when the observer may see no more', async () => {
  const { add, all, told } = stage(5)
  const renew = () => (told.size > 0 && add(1), Promise.reject(new Error('removed')))
  const { numbers, done } = watch(all.follow(session('a'), fox, 0, new AbortController().signal, renew))
  await expect(done).rejects.toThrow('removed')
  expect(numbers).toEqual([])
})

test('it ends some minutes after the session, and when core ends', async () => {
  let now = Date.now()
  const { all } = stage(5, () => now)
  const signal = new AbortController().signal
  const over = watch(all.follow(session('a', now / 1000), fox, 0, signal, always))
  const open = watch(all.follow(session('b', now / 1000 + 3_600), fox, 0, signal, always))
  now += 301_000
  await over.done
  all.close()
  await open.done
})

test('observers are bounded, of one session, of one studio and of all; who goes leaves its place', async () => {
  const { all } = stage()
  const leave = new AbortController()
  const { signal } = new AbortController()
  const enter = (id: string, studio: string, until = signal) =>
    watch(all.follow(session(id), { studioId: studio, isNew: false }, 0, until, always)).done
  const first = enter('a', 'fox', leave.signal)
  const open = [enter('a', 'fox'), enter('b', 'fox')]
  await expect(enter('a', 'owl')).rejects.toThrow(/try again/)
  await expect(enter('c', 'fox')).rejects.toThrow(/try again/)
  open.push(enter('d', 'owl'))
  await expect(enter('e', 'owl')).rejects.toThrow(/try again/)
  leave.abort()
  await first
  open.push(enter('a', 'fox'))
  all.close()
  await Promise.all(open)
})

test('a studio without a place gets one, but no second, from the studio with the most, which is told so', async () => {
  const { all } = stage()
  const signal = new AbortController().signal
  const enter = (id: string, studioId: string, isNew = false) =>
    watch(all.follow(session(id), { studioId, isNew }, 0, signal, always)).done
  const oldest = enter('a', 'fox')
  const open = [enter('b', 'fox'), enter('c', 'fox'), enter('d', 'owl')]
  open.push(enter('e', 'elk'))
  await expect(oldest).rejects.toThrow(/try again/)
  expect(all.count()).toBe(4)
  await expect(enter('f', 'elk')).rejects.toThrow(/try again/)
  open.push(enter('g', 'bee'))
  await expect(open.shift()).rejects.toThrow(/try again/)
  // each has one
  await expect(enter('h', 'ant')).rejects.toThrow(/try again/)
  all.close()
  await Promise.all(open)
})

test('all accounts of the last day share half of the places', async () => {
  const { all } = stage()
  const signal = new AbortController().signal
  const enter = (id: string, studioId: string, isNew: boolean) =>
    watch(all.follow(session(id), { studioId, isNew }, 0, signal, always)).done
  const open = [enter('a', 'new-1', true), enter('b', 'new-2', true)]
  await expect(enter('c', 'new-3', true)).rejects.toThrow(/try again/)
  open.push(enter('d', 'fox', false), enter('e', 'fox', false))
  all.close()
  await Promise.all(open)
})
