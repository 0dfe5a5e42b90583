import { expect, test } from 'vitest'
import { networksOf } from '../core/process/rules/network.ts'
import { networkOf } from './senders.ts'

test.each([
  '192.0.2.7',
  '::ffff:192.0.2.7',
  '::FFFF:c000:207',
  '::',
  '::1',
  '2001:db8::1',
  '2001:db8:1:2:3:4:5:6',
  '2001:DB8:0001:2::',
  '1::3:4:5:6:7:8',
  '1:0:0:2::',
  'fe80::1%eth0',
  '2001:db8::192.0.2.7',
])('an address counts as the same network here and in core: %s', (ip) => {
  expect(networkOf(ip)).toBe(networksOf(ip)[0])
})

test('an IPv6 network is one sender, the next network another', () => {
  expect(networkOf('2001:db8:1:2:ffff::9')).toBe(networkOf('2001:db8:1:2::1'))
  expect(networkOf('2001:db8:1:3::1')).not.toBe(networkOf('2001:db8:1:2::1'))
  expect(networkOf('unknown')).toBe('unknown')
})
