import { expect, test } from 'vitest'
import { strangers } from './strangers.ts'

const bounds = { burst: 10, perSecond: 5, patience: 1_000, open: 4, openInAll: 6, networks: 20 }
const network = '203.0.113.1'

function counted() {
  let time = 0
  const ended: string[] = []
  const table = strangers(bounds, () => time)
  const enter = (address: string, name = address) => table.enter(address, () => void ended.push(name))
  return { table, ended, enter, pass: (ms: number) => void (time += ms) }
}

test('a new connection is no new start: those of one network wait for each other, then they are refused', () => {
  const { enter, pass } = counted()
  const waits = Array.from({ length: 16 }, () => enter(network)?.wait)
  expect(waits).toEqual([...Array.from({ length: 10 }, () => 0), 200, 400, 600, 800, 1_000, undefined])
  pass(200)
  expect(enter(network)?.wait).toBe(1_000)
  expect(enter('203.0.113.2')?.wait).toBe(0)
})

test('64 bits of IPv6 are one network', () => {
  const { enter } = counted()
  const waits = Array.from({ length: 11 }, (_, at) => enter(`2001:db8:0:1::${at}`)?.wait)
  expect(waits.at(-1)).toBe(200)
  expect(enter('2001:db8:0:2::1')?.wait).toBe(0)
  expect(enter('::ffff:203.0.113.9')?.wait).toBe(0)
})

test('a connection pays for its first call, the network for the others, until one of them shows who calls', () => {
  const { enter } = counted()
  const one = enter(network)!.guest
  expect(Array.from({ length: 12 }, () => one.may())).toEqual([...Array.from({ length: 10 }, () => true), false, false])
  const late = enter(network)!
  expect(late.wait).toBe(200)
  expect(late.guest.may()).toBe(true)
  late.guest.known()
  expect(late.guest.isKnown).toBe(true)
})

test('the oldest stranger makes room, of its network or of all; a known caller never does', () => {
  const { enter, ended, table } = counted()
  enter(network, 'known')!.guest.known()
  for (const name of ['a', 'b', 'c', 'd', 'e']) enter(network, name)
  expect(ended).toEqual(['a'])
  for (const name of ['f', 'g', 'h']) enter(`203.0.113.${name.charCodeAt(0)}`, name)
  expect(ended).toEqual(['a', 'b'])
  expect(table.open).toBe(bounds.openInAll)
})

test('the table stays small, whatever number of networks comes', () => {
  const { enter, table } = counted()
  for (let at = 0; at < 200; at++) enter(`10.0.0.${at}`)!.guest.left()
  expect(table.networks).toBe(bounds.networks)
  expect(table.open).toBe(0)
})
