import { isIP } from 'node:net'

/** The sender of an address, as in core/process/rules/network.ts: an IPv4 address, or the /64 network of an IPv6 address. */
export function networkOf(ip: string): string {
  if (isIP(ip) !== 6) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  const written = URL.parse(`http://[${ip.replace(/%.*$/, '')}]/`)?.hostname.slice(1, -1)
  if (written === undefined) return ip
  const [head = [], tail = []] = written.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}
