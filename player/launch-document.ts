import type { IncomingMessage } from 'node:http'
import type { Launch } from '../gen/lrs/v1/launches_pb.js'
import type { Config } from './config.ts'
import type { CoreClient } from './core-client.ts'
import { hostnameOf } from './place.ts'

/** Questions to core: open ones, and those of one second. */
const mostOpen = 32
const mostInSecond = 300

/** Answers the launch context of a session as JSON; null: there is no such session of this build; undefined: too many ask. */
export function launchDocuments({ launch }: Pick<CoreClient, 'launch'>, config: Config, now: () => number = Date.now) {
  let open = 0
  let second = 0
  let asked = 0

  return async (request: IncomingMessage, buildId: string, secret: string): Promise<string | null | undefined> => {
    if (!/^[\w-]{43}$/.test(secret)) return null
    const current = Math.floor(now() / 1000)
    if (current !== second) [second, asked] = [current, 0]
    if (open >= mostOpen || asked >= mostInSecond) return undefined
    open++
    asked++
    try {
      const found = await launch(secret)
      return found?.buildId === buildId ? documentOf(found, xapiUrl(request, config)) : null
    } finally {
      open--
    }
  }
}

function documentOf({ token, actor, registration, activityId }: Launch, endpoint: string): string {
  return JSON.stringify({ endpoint, auth: `Bearer ${token}`, actor: JSON.parse(actor), registration, activity_id: activityId })
}

/** Where the game reports to: as the setting says, else the gateway's port on the host that the game came from. */
function xapiUrl({ headers }: IncomingMessage, { xapiUrl, gamesUrl, gatewayPort, trustProxy }: Config): string {
  if (xapiUrl !== undefined) return xapiUrl
  const common = gamesUrl?.includes('*.') ? new URL(gamesUrl.replace('*.', '')).hostname : hostnameOf(headers.host)
  const forwarded = trustProxy > 0 ? String(headers['x-forwarded-proto'] ?? '').split(',').at(-trustProxy)?.trim() : undefined
  return `${forwarded === 'https' ? 'https' : 'http'}://${common}:${gatewayPort}/xapi/`
}
