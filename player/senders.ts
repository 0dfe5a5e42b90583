import type { IncomingMessage } from 'node:http'
import { senderAddress } from '../shared/sender-address.ts'
import type { Config } from './config.ts'
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

/** Most calls to core, of all senders and of one: open calls, and calls within one second. */
const most = { open: 32, inSecond: 300 }
const mostOfSender = { open: 16, inSecond: 100 }
/** Further calls for senders with few calls, in case others have used up the common ones. */
const mostForSome = { open: 64, inSecond: 600 }
const little = { open: 2, inSecond: 10 }

interface Asking {
  open: number
  inSecond: number
}

export type Senders = <Answer>(request: IncomingMessage, call: () => Promise<Answer>) => Promise<Answer> | undefined

/** Bounds what senders make the player ask core; undefined: the sender, or all together, ask too much now. */
export function senderLimit(config: Pick<Config, 'trustProxy'>, now: () => number = Date.now): Senders {
  const all: Asking = { open: 0, inSecond: 0 }
  /** Senders with open calls, or with calls in this second. */
  const senders = new Map<string, Asking>()
  let second = 0

  function nextSecond(): void {
    all.inSecond = 0
    for (const [ip, sender] of senders) {
      if (sender.open === 0) senders.delete(ip)
      else sender.inSecond = 0
    }
  }

  return (request, call) => {
    const current = Math.floor(now() / 1000)
    if (current !== second) nextSecond()
    second = current
    const network = networkOf(senderAddress(request, config.trustProxy))
    const sender = senders.get(network) ?? { open: 0, inSecond: 0 }
    if (isFull(sender, mostOfSender) || isFull(all, isFull(sender, little) ? most : mostForSome)) return undefined
    senders.set(network, sender)
    for (const asking of [all, sender]) {
      asking.open++
      asking.inSecond++
    }
    return call().finally(() => {
      all.open--
      sender.open--
    })
  }
}

const isFull = (asking: Asking, most: Asking): boolean => asking.open >= most.open || asking.inSecond >= most.inSecond
