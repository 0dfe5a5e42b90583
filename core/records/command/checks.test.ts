import { expect, test } from 'vitest'
import { reservations } from './checks.ts'

const iri = 'https://fox.example/quiz'

/** A store that a test changes, and a clock that it sets. */
function planned() {
  let time = 10_000
  let changes = 0
  let held = [] as { prefix: string; studio: number }[]
  let away = false
  let reads = 0
  const read = async (since: number) => {
    reads++
    if (away) throw new Error('away')
    return since === changes ? { changes } : { changes, reservations: held }
  }
  const known = reservations(
    { read } as unknown as Parameters<typeof reservations>[0],
    { renewMs: 1_000, longestMs: 3_000 },
    () => time,
  )
  return {
    known,
    reads: () => reads,
    wait: (ms: number) => void (time += ms),
    grant: () => void ((held = [{ prefix: 'https://fox.example/', studio: 7 }]), changes++),
    leave: (is: boolean) => void (away = is),
  }
}

test('reservations are read once for simultaneous callers, and not again while they are fresh', async () => {
  const { known, reads, wait } = planned()
  await Promise.all(Array.from({ length: 100 }, () => known.owners()))
  wait(999)
  await known.owners()
  expect(reads()).toBe(1)
})

test('a reservation takes effect within the longest time; until then no caller waits', async () => {
  const { known, wait, grant } = planned()
  expect((await known.owners())(iri)).toBeUndefined()
  grant()
  wait(2_000)
  expect((await known.owners())(iri)).toBeUndefined()
  await new Promise(setImmediate)
  expect((await known.owners())(iri)).toBe(7)
  const other = planned()
  await other.known.owners()
  other.grant()
  other.wait(3_001)
  expect((await other.known.owners())(iri)).toBe(7)
})

test('while the store cannot be read, known reservations are used until the longest time is over', async () => {
  const { known, wait, leave } = planned()
  await known.owners()
  leave(true)
  wait(2_500)
  await known.owners()
  wait(501)
  await expect(known.owners()).rejects.toThrow('away')
  leave(false)
  expect((await known.owners())(iri)).toBeUndefined()
})
