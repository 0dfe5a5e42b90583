import { EventEmitter } from 'node:events'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { liveStreams, type LiveOptions } from './live-streams.ts'
import type { SignedIn } from './visit.ts'

/** Streams that say one thing and then wait for their end; `entered` are viewers by studio. */
function stage(options: Partial<LiveOptions> = {}) {
  const { push } = liveStreams(pino({ level: 'silent' }), {
    inAll: 3,
    ofStudio: 2,
    turnMs: 60_000,
    patienceMs: 60_000,
    ...options,
  })
  let open = 0
  async function* read(signal: AbortSignal) {
    open++
    try {
      yield 1
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    } finally {
      open--
    }
  }
  function enter(
    studioId: string,
    { takes = true, closed = false, source = read as (signal: AbortSignal) => AsyncIterable<number> } = {},
  ) {
    const response = Object.assign(new EventEmitter(), {
      code: 0,
      closed,
      ended: false,
      headersSent: false,
      text: '',
      status: (code: number) => ((response.code = code), response),
      set: () => response,
      flushHeaders: () => void (response.headersSent = true),
      write: (text: string) => ((response.text += text), takes),
      end: () => void ((response.ended = true), response.emit('close')),
      destroy: () => response.end(),
    })
    const visit = {
      account: { accountId: '', studio: { studioId } },
      response,
      request: { path: '/' },
    } as unknown as SignedIn
    const done = push(visit, source, (number) => [{ id: String(number), data: number }])
    return Object.assign(response, { done })
  }
  return { enter, open: () => open }
}

test('streams are limited; a studio without one gets the slot of the studio with the most', async () => {
  const { enter, open } = stage()
  const [first, second, third] = [enter('a'), enter('a'), enter('a')]
  await expect.poll(() => [first.code, second.code, third.code]).toEqual([200, 200, 204])
  const b = enter('b')
  await expect.poll(() => [b.code, first.ended]).toEqual([200, false])
  const other = enter('c')
  await expect.poll(() => [other.code, first.ended, second.ended]).toEqual([200, true, false])
  expect([enter('d').code, enter('a').code, open()]).toEqual([204, 204, 3])
})

test('who leaves ends the stream of core and frees the slot', async () => {
  const { enter, open } = stage()
  const first = enter('a')
  await expect.poll(() => first.text).toContain('id: 1\ndata: 1\n\n')
  first.emit('close')
  await first.done
  expect(open()).toBe(0)
  const again = [enter('a'), enter('a')]
  await expect.poll(() => again.map(({ code }) => code)).toEqual([200, 200])
})

test('a stream ends after its turn, and at once for a viewer who reads nothing', async () => {
  const turning = stage({ turnMs: 20 })
  const one = turning.enter('a')
  await one.done
  expect([one.ended, turning.open()]).toEqual([true, 0])
  const impatient = stage({ patienceMs: 20 })
  const slow = impatient.enter('a', { takes: false })
  await slow.done
  expect([slow.ended, impatient.open()]).toEqual([true, 0])
})

test('a browser that left while the portal asked core takes no slot', async () => {
  const { enter, open } = stage({ ofStudio: 1 })
  await enter('a', { closed: true }).done
  expect(open()).toBe(0)
  const next = enter('a')
  await expect.poll(() => next.code).toBe(200)
})

test('a refusal before the first message is an answer with its status, and takes no slot', async () => {
  const { enter, open } = stage({ ofStudio: 1 })
  const refusal = Promise.reject(new Error('refused'))
  const refused = enter('a', {
    source: async function* () {
      yield await refusal
    },
  })
  await expect(refused.done).rejects.toThrow('refused')
  expect([refused.headersSent, open()]).toEqual([false, 0])
  const next = enter('a')
  await expect.poll(() => next.code).toBe(200)
})
