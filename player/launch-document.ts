import type { IncomingMessage } from 'node:http'
import { contextOf } from '../shared/launch-context.ts'
import type { Config } from './config.ts'
import type { CoreClient } from './core-client.ts'
import { hostnameOf } from './place.ts'
import type { Senders } from './senders.ts'

/** Returns the launch context of a session as JSON; null: this build has no such session; undefined: too many calls. */
export function launchDocuments({ launch }: Pick<CoreClient, 'launch'>, config: Config, limited: Senders) {
  return async (request: IncomingMessage, buildId: string, secret: string): Promise<string | null | undefined> => {
    if (!/^[\w-]{43}$/.test(secret)) return null
    const asking = limited(request, () => launch(secret))
    if (!asking) return undefined
    const found = await asking
    return found?.buildId === buildId ? JSON.stringify(contextOf(xapiUrl(request, config), found)) : null
  }
}

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
