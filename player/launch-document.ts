import type { IncomingMessage } from 'node:http'
import { contextOf } from '../shared/launch-context.ts'
import type { Config } from './config.ts'
import type { CoreClient } from './core-client.ts'
import { networkOf } from './network.ts'
import { hostnameOf } from './place.ts'

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

/** Returns the launch context of a session as JSON; null: this build has no such session; undefined: too many calls. */
export function launchDocuments({ launch }: Pick<CoreClient, 'launch'>, config: Config, now: () => number = Date.now) {
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

  return async (request: IncomingMessage, buildId: string, secret: string): Promise<string | null | undefined> => {
    if (!/^[\w-]{43}$/.test(secret)) return null
    const current = Math.floor(now() / 1000)
    if (current !== second) nextSecond()
    second = current
    const network = networkOf(senderIp(request, config))
    const sender = senders.get(network) ?? { open: 0, inSecond: 0 }
    if (isFull(sender, mostOfSender) || isFull(all, isFull(sender, little) ? most : mostForSome)) return undefined
    senders.set(network, sender)
    for (const asking of [all, sender]) {
      asking.open++
      asking.inSecond++
    }
    try {
      const found = await launch(secret)
      return found?.buildId === buildId ? JSON.stringify(contextOf(xapiUrl(request, config), found)) : null
    } finally {
      all.open--
      sender.open--
    }
  }
}

const isFull = (asking: Asking, most: Asking): boolean => asking.open >= most.open || asking.inSecond >= most.inSecond

/** Address of the browser, from the trusted proxies if there are any. */
const senderIp = ({ headers, socket }: IncomingMessage, { trustProxy }: Config): string =>
  (trustProxy > 0
    ? String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .at(-trustProxy)
        ?.trim()
    : undefined) ||
  (socket.remoteAddress ?? '')

/** The xAPI endpoint: the setting, else the gateway's port on the host of the game. */
function xapiUrl({ headers }: IncomingMessage, { xapiUrl, gamesUrl, gatewayPort, trustProxy }: Config): string {
  if (xapiUrl !== undefined) return xapiUrl
  const common = gamesUrl?.includes('*.') ? new URL(gamesUrl.replace('*.', '')).hostname : hostnameOf(headers.host)
  const forwarded =
    trustProxy > 0
      ? String(headers['x-forwarded-proto'] ?? '')
          .split(',')
          .at(-trustProxy)
          ?.trim()
      : undefined
  return `${forwarded === 'https' ? 'https' : 'http'}://${common}:${gatewayPort}/xapi/`
}
