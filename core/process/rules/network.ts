import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import { Problem } from '../problem.ts'

/**
 * The senders that an address counts for, the narrowest first: the IPv4 address; or the IPv6 network of 64 bits, which
 * one sender has as a whole, and the network of 48 bits around it, which one customer may rent with 65,536 such
 * networks.
 * @throws Problem at `path`
 */
export function networksOf(ip: string, path = 'sender_ip'): [narrow: string, wide?: string] {
  if (isIP(ip) === 0) throw new Problem(path, 'must be the IP address of the browser')
  if (isIP(ip) === 4) return [ip]
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped !== undefined) return [mapped]
  const [head = '', tail] = ip.replace(/%.*$/, '').toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const all = [...groups, ...Array.from({ length: 8 - groups.length - rest.length }, () => '0'), ...rest]
  const network = (count: number): string =>
    `${all
      .slice(0, count)
      .map((group) => Number.parseInt(group, 16).toString(16))
      .join(':')}::/${count * 16}`
  return [network(4), network(3)]
}

/** The same, as the audit log keeps it of strangers; empty: it is no address. */
export const networkShown = (ip: string): string => (isIP(ip) === 0 ? '' : networksOf(ip)[0])

/** The same as limits count it. Addresses of visitors are kept in the audit log only, for 30 days. */
export const senderOf = (ip: string): string => hash('sha256', networksOf(ip)[0])

/** The widest: who shares what is scarce. */
export const crowdOf = (ip: string): string => hash('sha256', networksOf(ip).at(-1)!)
