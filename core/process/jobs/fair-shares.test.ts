import { expect, test } from 'vitest'
import { deliveries as limits } from '../../../shared/limits.ts'
import { fairShares } from './fair-shares.ts'

function started() {
  let time = 0
  const shares = fairShares({
    atOnce: limits.atOnce,
    ofOne: limits.atOnceOfOne,
    ofHost: limits.atOnceOfHost,
    now: () => time,
  })
  const mayTake = (owner: string) => !shares.isFull() && !shares.now().busy.includes(owner)
  /** Takes as many slots as the owner gets; returns how many. */
  const fill = (owner: string): number => {
    let taken = 0
    for (; mayTake(owner); taken++) shares.take(owner, `host of ${owner} ${taken}`)
    return taken
  }
  return { shares, mayTake, fill, pass: (seconds: number) => (time += seconds * 1000) }
}

test.each([1, 4, 20, 40])('%i owners whose targets are silent leave a slot for another one', (many) => {
  const { fill, mayTake } = started()
  const taken = Array.from({ length: many }, (_, n) => fill(`slow ${n}`))
  expect(Math.min(...taken)).toBeGreaterThanOrEqual(1)
  expect(Math.max(...taken)).toBeLessThanOrEqual(limits.atOnceOfOne)
  expect(mayTake('new')).toBe(true)
})

test('those who have used much leave the last quarter to others, however many they are', () => {
  const { shares, fill, mayTake, pass } = started()
  const heavy = Array.from({ length: 60 }, (_, n) => `slow ${n}`)
  const leave = heavy.map((owner) => shares.take(owner, 'host'))
  pass(61)
  for (const end of leave) end()
  const taken = heavy.map((owner) => fill(owner))
  expect(taken.reduce((sum, one) => sum + one, 0)).toBe((limits.atOnce * 3) / 4)
  expect(mayTake('new')).toBe(true)
})

test('what was used counts while it is used, and half of it is forgotten in five minutes', () => {
  const { shares, pass } = started()
  const leave = shares.take('one', 'host')
  pass(100)
  expect(shares.now().used.get('one')).toBe(100_000)
  leave()
  pass(300)
  expect(shares.now().used.get('one')).toBe(50_000)
  pass(3_000)
  expect([...shares.now().used]).toEqual([])
})

test('one host has a limit of its own, whoever calls it', () => {
  const { shares, mayTake } = started()
  const leave = ['a', 'b', 'c', 'd'].map((owner) => shares.take(owner, 'host slow.example'))
  expect([shares.now().busy, mayTake('a')]).toEqual([['host slow.example'], true])
  leave[0]!()
  expect(shares.now().busy).toEqual([])
})
