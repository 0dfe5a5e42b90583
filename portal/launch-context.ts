import type { Launch } from '../gen/lrs/v1/launches_pb.js'
import type { Addresses } from './addresses.ts'

/** What a game is handed: in its address, as a message, as launch.json, in environment variables. */
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

/** As TinCan and ADL launches have it, and nothing else: TinCanJS sends what it does not know with every request. */
export function launchQuery(context: LaunchContext): string {
  const fields = { ...context, actor: JSON.stringify(context.actor) }
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
}

/**
 * Where the build of a session runs, with its launch context. The session's secret stands where browsers send it to
 * nobody; for games that keep their route there, this is the route `/` with a parameter.
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
