import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import { Problem } from '../xapi/problem.ts'

/** Whom an address counts as: itself, or with IPv6 its network of 64 bits, all of which one sender has. @throws Problem at `path` */
export function networkOf(ip: string, path = 'sender_ip'): string {
  if (isIP(ip) === 0) throw new Problem(path, 'must be the IP address of the browser')
  if (isIP(ip) === 4) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = ip.replace(/%.*$/, '').toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const all = [...groups, ...Array.from({ length: 8 - groups.length - rest.length }, () => '0'), ...rest]
  return `${all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** The same as it is counted: addresses of visitors are kept nowhere. */
export const senderOf = (ip: string): string => hash('sha256', networkOf(ip))
