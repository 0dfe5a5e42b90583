import { BlockList, isIP } from 'node:net'

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

/** Whether a call may go to an address. */
export interface AddressGuard {
  /** A public address, or one that the operator allows. */
  allows(address: string): boolean
  /** The operator names it. Such hosts may be called without TLS. */
  isNamed(address: string): boolean
}

/** @param ranges networks of the operator that may be called although they are not public, such as `10.1.0.0/16` */
export function addressGuard(ranges: readonly string[]): AddressGuard {
  const named = networks(ranges)
  const isIn = (list: BlockList, address: string) => list.check(address, familyOf(address))
  return {
    isNamed: (address) => isIP(address) !== 0 && isIn(named, address),
    allows(address) {
      if (isIP(address) === 0) return false
      if (isIn(named, address)) return true
      return !isIn(closed, address) && (isIP(address) === 4 || isIn(open6, address))
    },
  }
}

/** Whether it is an address, or a network such as `10.1.0.0/16`. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, more] = text.split('/')
  const most = isIP(address) === 4 ? 32 : 128
  return isIP(address) !== 0 && more === undefined && (bits === undefined || (/^\d{1,3}$/.test(bits) && +bits <= most))
}

function networks(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = familyOf(address)
    list.addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  return list
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
