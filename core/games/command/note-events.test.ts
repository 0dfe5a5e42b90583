import { expect, test } from 'vitest'
import type { SandboxEvent } from '../store/sandbox-events.ts'
import { noteEvents, type NoteEventsOptions } from './note-events.ts'

const event = { request: 'GET /xapi/statements', status: 200, message: 'read 1 statement', path: '', reason: '' }

function stage(bounds: Partial<NoteEventsOptions> = {}, add?: () => Promise<void>) {
  const written: [session: string, events: readonly SandboxEvent[]][] = []
  const failed: unknown[] = []
  const store = {
    add: async (session: string, events: readonly SandboxEvent[]) => (
      await add?.(),
      void written.push([session, events])
    ),
  }
  return {
    written,
    failed,
    notes: noteEvents(store, {
      ofSession: 3,
      inAll: 5,
      withinMs: 5,
      warn: async (_, requests) => requests.map(() => []),
      fail: (error) => failed.push(error),
      ...bounds,
    }),
  }
}

test('events are written soon and together, session by session', async () => {
  const { notes, written } = stage()
  notes.note('a', event, Buffer.from('{}'))
  notes.note('b', event, undefined)
  notes.note('a', { ...event, status: 204 }, undefined)
  await expect.poll(() => written).toHaveLength(2)
  expect(written.map(([session, events]) => [session, events.map(({ status, body }) => [status, body])])).toEqual([
    [
      'a',
      [
        [200, '{}'],
        [204, ''],
      ],
    ],
    ['b', [[200, '']]],
  ])
})

test('warnings of what was stored come with its event; when they cannot be had, it comes without', async () => {
  let broken = false
  const asked: unknown[] = []
  const { notes, written, failed } = stage({
    warn: async (session, requests) => {
      if (broken) throw new Error('away')
      asked.push([session, requests.length])
      return requests.map(({ ids }) => [{ statement: 0, rule: 'told', text: ids.join() }])
    },
  })
  const played = (...ids: string[]) => ({ ...event, played: { game: 1, actor: 'ann', ids } })
  notes.note('a', played('s1'), undefined)
  notes.note('a', event, undefined)
  notes.note('a', played('s2', 's3'), undefined)
  await notes.flush()
  expect(asked).toEqual([['a', 2]])
  expect(written[0]![1].map(({ warnings }) => warnings?.map(({ text }) => text))).toEqual([
    ['s1'],
    undefined,
    ['s2,s3'],
  ])
  broken = true
  notes.note('a', played('s4'), undefined)
  await notes.flush()
  expect(written[1]![1]).toMatchObject([{ message: event.message, warnings: undefined }])
  expect(failed).toEqual([new Error('away')])
})

test('what comes too fast is counted in place of being kept, for one session and for all', async () => {
  const { notes, written } = stage()
  for (let n = 0; n < 5; n++) notes.note('a', event, undefined)
  for (let n = 0; n < 5; n++) notes.note('b', event, undefined)
  await notes.flush()
  expect(written.map(([session, events]) => [session, events.length, events.at(-1)!.message])).toEqual([
    ['a', 4, '2 more requests came faster than they can be shown.'],
    ['b', 3, '3 more requests came faster than they can be shown.'],
  ])
  notes.note('b', event, undefined)
  await notes.flush()
  expect(written.at(-1)).toMatchObject(['b', [{ status: 200 }]])
})

test('a failure is told, and what comes afterwards is written', async () => {
  let broken = true
  const { notes, written, failed } = stage({}, () => (broken ? Promise.reject(new Error('away')) : Promise.resolve()))
  notes.note('a', event, undefined)
  await notes.flush()
  broken = false
  notes.note('a', event, undefined)
  await notes.flush()
  expect([failed.length, written.length]).toEqual([1, 1])
})

test('texts are such as the database can hold, bodies end with a whole character', async () => {
  const { notes, written } = stage()
  notes.note(
    'a',
    { ...event, message: `\0${'m'.repeat(2_000)}`, path: 'p\ud800' },
    Buffer.from(`\0x${'€'.repeat(6_000)}`),
  )
  await notes.flush()
  const [{ message, path, body }] = written[0]![1] as [SandboxEvent]
  expect([message.length, message[0], path]).toEqual([1_000, '\ufffd', 'p\ufffd'])
  expect(body).toBe(`\ufffdx${'€'.repeat(Math.floor((16 * 1024 - 2) / 3))}`)
})
