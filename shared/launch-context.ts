import type { JsonObject } from '@bufbuild/protobuf'

/** What a game needs to report (docs/launch.md): in its address, as a message, as launch.json and in the environment. */
export interface LaunchContext {
  readonly endpoint: string
  /** The complete value of the Authorization header. */
  readonly auth: string
  readonly actor: JsonObject
  readonly registration: string
  readonly activity_id: string
}

interface Launched {
  readonly token: string
  /** JSON of the learner's Agent. */
  readonly actor: string
  readonly registration: string
  readonly activityId: string
}

/** @param endpoint of xAPI, with a slash at its end */
export const contextOf = (endpoint: string, { token, actor, registration, activityId }: Launched): LaunchContext => ({
  endpoint,
  auth: `Bearer ${token}`,
  actor: JSON.parse(actor) as JsonObject,
  registration,
  activity_id: activityId,
})

/** Parameters of TinCan and ADL launches only: TinCanJS sends unknown ones with every request. */
export const launchQuery = (context: LaunchContext): string =>
  textsOf(context)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')

/** The same for programs that are not started by a browser. */
export const environmentOf = (context: LaunchContext): Record<string, string> =>
  Object.fromEntries(textsOf(context).map(([name, value]) => [`XAPI_${name.toUpperCase()}`, value]))

/** Lines that set the variables in a shell. */
export const shellLines = (variables: Record<string, string>): string =>
  Object.entries(variables)
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`)
    .join('\n')

/** The same for PowerShell, for which typographic quotes end a text, too. */
export const powerShellLines = (variables: Record<string, string>): string =>
  Object.entries(variables)
    .map(([name, value]) => `$env:${name} = '${value.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`)
    .join('\n')

const textsOf = (context: LaunchContext): [string, string][] =>
  Object.entries(context).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
