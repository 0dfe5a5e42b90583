import { EventEmitter } from 'node:events'
import type { Response } from 'express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eventStream } from './live-streams.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a silent stream shows that it lives, until the visitor leaves', () => {
  let text = ''
  const response = Object.assign(new EventEmitter(), {
    status: () => response,
    set: () => response,
    flushHeaders: () => {},
    writableEnded: false,
    write: (more: string) => ((text += more), true),
  })
  const send = eventStream(response as unknown as Response)
  send(7n, { html: 'a\nb' })
  vi.advanceTimersByTime(31_000)
  expect(text).toBe('retry: 2000\n\nid: 7\ndata: {"html":"a\\nb"}\n\n:\n\n:\n\n')
  // it has ended, and the visitor does not read the rest
  response.writableEnded = true
  vi.advanceTimersByTime(30_000)
  expect(text.match(/^:$/gm)).toHaveLength(2)
  response.writableEnded = false
  response.emit('close')
  vi.advanceTimersByTime(60_000)
  expect(text.match(/^:$/gm)).toHaveLength(2)
})
