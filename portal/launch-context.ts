import type { Launch } from '../gen/lrs/v1/launches_pb.js'
import type { Addresses } from './addresses.ts'

/** The launch context of a game: it comes in the address, as a message, as launch.json and in environment variables. */
export interface LaunchContext {
  readonly endpoint: string
  readonly auth: string
  readonly actor: object
  readonly registration: string
  readonly activity_id: string
}

export const contextOf = ({ xapi }: Addresses, { token, actor, registration, activityId }: Launch): LaunchContext => ({
  endpoint: xapi,
  auth: `Bearer ${token}`,
  actor: JSON.parse(actor) as object,
  registration,
  activity_id: activityId,
})

/** Parameters of TinCan and ADL launches only: TinCanJS sends unknown ones with every request. */
export function launchQuery(context: LaunchContext): string {
  const fields = { ...context, actor: JSON.stringify(context.actor) }
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
}

/**
 * The address of the game with its launch context. The session's secret is in the fragment, which browsers do not send.
 * Games that keep their route in the fragment see the route `/` with a parameter.
 */
export function gameAddress(at: Addresses, launch: Launch): string {
  const { buildId, sessionSecret } = launch
  return `${at.games(buildId)}/b/${buildId}/index.html?${launchQuery(contextOf(at, launch))}#/?session=${sessionSecret}`
}

/** The same for programs that are not started by a browser. */
export function environmentOf(context: LaunchContext): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(context).map(([name, value]) => ({
    name: `XAPI_${name.toUpperCase()}`,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }))
}
