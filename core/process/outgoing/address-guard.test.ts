import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { readConfig } from '../config/config.ts'
import { addressGuard } from './address-guard.ts'

const none = addressGuard([])
const minimal = {
  DATABASE_URL: 'postgres://a/b',
  LRS_SIGNING_KEY: 'a'.repeat(43),
  LRS_SERVICE_TOKENS: 'gateway=0123456789abcdef',
  LRS_STORAGE_KEY: 'a'.repeat(43),
  LRS_STORAGE_DIR: '/tmp',
}

test.each(['1.1.1.1', '9.9.9.9', '172.15.255.255', '172.32.0.1', '100.128.0.1', '2606:4700::1', '2a00:1450::5'])(
  '%s is public',
  (address) => expect([none.allows(address, 443), none.isNamed(address, 443)]).toEqual([true, false]),
)

const closed = [
  '127.0.0.1 127.8.8.8 0.0.0.0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1',
  // metadata of clouds: most of them, Alibaba, Oracle, Azure, AWS over IPv6
  '169.254.169.254 100.100.100.200 192.0.0.192 168.63.129.16 fd00:ec2::254',
  '224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 198.18.0.1 192.0.2.1 203.0.113.9',
  ':: ::1 fe80::1 fec0::1 fc00::1 fdff::1 ff02::1 2001:db8::1 3fff::1',
  // IPv4 within IPv6: mapped, compatible, NAT64, 6to4, Teredo
  '::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b::808:808',
  '64:ff9b:1::1 2002:7f00:1:: 2001:0:7f00:1::1 5f00::1 localhost 127.1 0x7f000001',
].flatMap((line) => line.split(' '))
test.each(['', ...closed])('%s is refused', (address) => expect(none.allows(address, 443)).toBe(false))

test('an operator allows networks and addresses', () => {
  const guard = addressGuard(['10.1.0.0/16', 'fd00:5::/32', '127.0.0.1'])
  for (const address of ['10.1.2.3', 'fd00:5::9', '127.0.0.1']) {
    expect([guard.allows(address, 443), guard.isNamed(address, 443)], address).toEqual([true, true])
  }
  for (const address of ['10.2.0.1', 'fd00:6::9', '127.0.0.2', '169.254.169.254'])
    expect(guard.allows(address, 443), address).toBe(false)
})

test('an operator allows one port of a network', () => {
  const guard = addressGuard(['10.0.0.0/8:443', '[fd00::]/8:8443', '[fd00::7]:80', '127.0.0.1:9300'])
  for (const [address, port] of [
    ['10.9.9.9', 443],
    ['fd12::1', 8443],
    ['fd00::7', 80],
    ['127.0.0.1', 9300],
  ] as const) {
    expect([guard.allows(address, port), guard.isNamed(address, port)], address).toEqual([true, true])
    expect([guard.allows(address, port + 1), guard.isNamed(address, port + 1)], address).toEqual([false, false])
  }
  expect(guard.allows('1.1.1.1', 8443)).toBe(true)
})

test('ports of core, metrics and Postgres on this machine are never called, whatever is allowed', () => {
  const env = { CORE_PORT: '8082', PORTAL_METRICS_PORT: '9464', DATABASE_URL: 'postgres://a:b@c:5433/d' }
  const { ownPorts } = readConfig({ ...minimal, ...env })
  expect(ownPorts).toEqual([8082, 8083, 9464, 5433])
  const guard = addressGuard(['0.0.0.0/0', '::/0'], ownPorts)
  const own = Object.values(networkInterfaces()).flatMap((all) => all!.map(({ address }) => address))
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '0.0.0.0', '::', '::ffff:127.0.0.1', ...own])
    for (const port of ownPorts) expect(guard.allows(address, port), address).toBe(false)
  expect([guard.allows('127.0.0.1', 8080), guard.allows('10.1.1.1', 8082)]).toEqual([true, true])
})

test.each([
  '10.0.0.0/33',
  'fd00::/129',
  '10.0.0/8',
  'lan',
  '10.0.0.0/8/8',
  '10.0.0.0/',
  '1.1.1.1/-1',
  '1.1.1.1:0',
  '1.1.1.1:65536',
  '1.1.1.1:x',
  'fd00::1]:1',
  '[1.1.1.1]:1',
])('LRS_OUTGOING_ALLOW refuses %s', (value) => {
  expect(readConfig({ ...minimal, LRS_OUTGOING_ALLOW: '10.0.0.0/8:1, fd00::/8' }).outgoingAllow).toHaveLength(2)
  expect(() => readConfig({ ...minimal, LRS_OUTGOING_ALLOW: `10.0.0.0/8,${value}` })).toThrow(`has "${value}"`)
})
