import { expect, test } from 'vitest'
import { Refusal } from '../../process/refusal.ts'
import type { RefusalTally } from '../store/cell/refusals.ts'
import { noteRefusals } from './note-refusals.ts'

const noon = Date.parse('2026-11-20T12:00:00Z')
const refused = { request: 'POST /xapi/statements', status: 400, reason: 'INVALID', path: '', message: 'wrong' }

function start({ kindsOfGame = 3, kinds = 10 } = {}) {
  const written: RefusalTally[][] = []
  const failures: unknown[] = []
  const clock = { now: noon, isDown: false }
  const asked = { times: 0 }
  const add = async (tallies: readonly RefusalTally[]) => {
    asked.times++
    if (clock.isDown) throw new Refusal('unavailable', 'down')
    if (tallies.some(({ path }) => path.startsWith('poison'))) throw new Error('not taken')
    written.push([...tallies])
  }
  const notes = noteRefusals(
    { add },
    { kindsOfGame, kinds, everyMs: 3_600_000, now: () => clock.now, fail: (error) => failures.push(error) },
  )
  const counts = () => written.at(-1)?.map(({ game, day, reason, path, count }) => [game, day, reason, path, count])
  return { notes, written, failures, clock, counts, asked }
}

test('the same place in different statements is one kind; days are those of UTC', async () => {
  const { notes, clock, counts } = start()
  notes.note({ game: 1 }, { ...refused, path: 'statements[0].actor.mbox' })
  notes.note({ game: 1 }, { ...refused, path: 'statements[17].actor.mbox' })
  clock.now += 12 * 60 * 60 * 1000
  notes.note({ game: 1 }, { ...refused, path: 'statements[0].actor.mbox' })
  await notes.close()
  expect(counts()).toEqual([
    [1, '2026-11-20', 'INVALID', 'statements[].actor.mbox', 2],
    [1, '2026-11-21', 'INVALID', 'statements[].actor.mbox', 1],
  ])
})

test('beyond the bounds only the number is kept', async () => {
  const { notes, counts, written } = start()
  for (let game = 1; game <= 20; game++)
    for (let n = 0; n < 100; n++) notes.note({ game }, { ...refused, path: `p${n}x` })
  await notes.close()
  expect(counts()!.slice(0, 4)).toEqual([
    [1, '2026-11-20', 'INVALID', 'p0x', 1],
    [1, '2026-11-20', 'INVALID', 'p1x', 1],
    [1, '2026-11-20', 'INVALID', 'p2x', 1],
    [1, '2026-11-20', 'OTHER', '', 97],
  ])
  expect(written[0]!.length).toBeLessThanOrEqual(20)
})

test('what could not be written is written the next time, once', async () => {
  const { notes, clock, counts, failures, written } = start()
  notes.note({ game: 1 }, refused)
  clock.isDown = true
  await notes.flush()
  expect(failures).toHaveLength(1)
  notes.note({ game: 1 }, { ...refused, message: 'newer' })
  clock.isDown = false
  await notes.flush()
  expect(counts()).toEqual([[1, '2026-11-20', 'INVALID', '', 2]])
  expect(written[0]![0]!.message).toBe('newer')
  await notes.close()
  expect(written).toHaveLength(1)
})

test('kinds that the database refuses are dropped with one log line, all others are counted', async () => {
  const { notes, failures, written } = start({ kindsOfGame: 100, kinds: 10_000 })
  for (let game = 1; game <= 50; game++)
    for (let n = 0; n < 60; n++)
      notes.note({ game }, { ...refused, path: game === 7 && n === 30 ? 'poison' : `p${n}x` })
  await notes.flush()
  expect(written.flat()).toHaveLength(2_999)
  expect(failures).toMatchObject([{ message: expect.stringContaining('1 kinds of refused requests are not counted') }])
  await notes.close()
  expect(failures).toHaveLength(1)
})

test('when the database refuses all kinds, they are not tried one by one', async () => {
  const { notes, failures, asked } = start({ kindsOfGame: 100, kinds: 10_000 })
  for (let game = 1; game <= 50; game++)
    for (let n = 0; n < 60; n++) notes.note({ game }, { ...refused, path: `poison${n}x` })
  await notes.close()
  expect(asked.times).toBeLessThanOrEqual(101)
  expect(failures).toMatchObject([{ message: expect.stringContaining('3000 kinds') }])
})
