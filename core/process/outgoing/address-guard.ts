import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Of IPv6 a port needs brackets. */
const form = /^(\[[\da-f:.]+\]|[\d.]+|[\da-f:.]+(?=$|\/\d+$))(?:\/(\d{1,3}))?(?::(\d{1,5}))?$/i

/**
 * IPv4 networks that are no public host: private, loopback, link-local (with the metadata services of clouds), shared
 * by carriers, multicast, reserved, for documentation (RFC 6890), and Azure's metadata service.
 */
const closed4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16',
].flatMap((line) => line.split(' '))
/** Of IPv6 only 2000::/3 is public; within it Teredo and its neighbours, documentation and 6to4 are not. */
const open6 = networks(['2000::/3'])
const closed = networks([...closed4, '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

/** Whether a call may go to a port of an address. */
export interface AddressGuard {
  /** A public address, or one that the operator allows; never a port of ours on this machine. */
  allows(address: string, port: number): boolean
  /** The operator names it. Such hosts may be called without TLS. */
  isNamed(address: string, port: number): boolean
}

/**
 * @param ranges networks of the operator that may be called although they are not public, such as `10.1.0.0/16`, or
 * only one port of them: `10.1.0.0/16:443`
 * @param ownPorts of this machine
 */
export function addressGuard(ranges: readonly string[], ownPorts: readonly number[] = []): AddressGuard {
  const all = ranges.map((range) => ({ list: networks([range]), port: partsOf(range)?.port }))
  const named = (address: string, port: number): boolean =>
    all.some((one) => (one.port === undefined || one.port === port) && isIn(one.list, address))
  return {
    isNamed: (address, port) => isIP(address) !== 0 && named(address, port),
    allows(address, port) {
      if (isIP(address) === 0 || (ownPorts.includes(port) && isIn(thisMachine(), address))) return false
      if (named(address, port)) return true
      return !isIn(closed, address) && (isIP(address) === 4 || isIn(open6, address))
    },
  }
}

const isIn = (list: BlockList, address: string): boolean => list.check(address, familyOf(address))

const thisMachine = (): BlockList =>
  networks([
    '127.0.0.0/8',
    '0.0.0.0',
    '::1',
    '::',
    ...Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address.split('%')[0]!)),
  ])

/** Whether it is an address or a network, with or without a port: `10.1.0.0/16`, `[fd00::]/8:443`. */
export const isNetwork = (text: string): boolean => partsOf(text) !== undefined

function partsOf(text: string): { address: string; bits: number; port: number | undefined } | undefined {
  const [, written = '', bits, port] = form.exec(text) ?? []
  const address = written.replace(/^\[(.*:.*)\]$/, '$1')
  const most = isIP(address) === 4 ? 32 : 128
  if (isIP(address) === 0 || Number(bits ?? 0) > most || Number(port ?? 1) > 65_535 || Number(port ?? 1) < 1)
    return undefined
  return { address, bits: Number(bits ?? most), port: port === undefined ? undefined : Number(port) }
}

function networks(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const { address, bits } = partsOf(range)!
    list.addSubnet(address, bits, familyOf(address))
  }
  return list
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
