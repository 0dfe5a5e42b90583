import type { Key } from '../../xapi/identify.ts'
import { everything } from '../look.ts'
import type { Credentialed } from './write-statements.ts'

/** Filters by key; a missing one does not filter. */
export interface StatementFilter {
  readonly agent?: Key
  /** Key of the same agent among related terms. */
  readonly relatedAgent?: Key
  /** JSON of the authority to match when related agents count. */
  readonly authority?: string
  readonly verb?: Key
  readonly activity?: Key
  readonly relatedActivity?: Key
  readonly registration?: string
}

/** The caller that asks for a page, and the statements that the caller may see. */
export interface Reader extends Credentialed {
  /** A launch token's learner, who sees only statements of their own. */
  readonly actor?: Key
  /** Reads all games except sandboxes, instead of `game`. */
  readonly everything: boolean
}

/** Microseconds: strictly after `after`, at or before `until`. */
export interface PageRange {
  readonly after?: number
  readonly until?: number
  readonly ascending: boolean
}

/** Every parameter that a page can have, with its type, in the order of the placeholders. */
const types = {
  credential: 'int',
  version: 'int',
  session: 'uuid',
  bytes: 'bigint',
  after: 'bigint',
  until: 'bigint',
  game: 'int',
  learner: 'uuid',
  actor: 'uuid',
  relatedActor: 'uuid',
  authority: 'text',
  registration: 'uuid',
  activity: 'uuid',
  relatedActivity: 'uuid',
  verb: 'uuid',
} as const

export type ParameterName = keyof typeof types

/** SQL of a parameter; undefined: the page does not have it. */
export type Parameters = Readonly<Partial<Record<ParameterName, string>>>

/** The parameters of a page, with their values. @param bytes the page ends with the statement that passes this many */
export function parametersOf(
  reader: Reader,
  filter: StatementFilter,
  { after, until }: PageRange,
  bytes: number,
): [ParameterName, unknown][] {
  const all: Record<ParameterName, unknown> = {
    credential: reader.credential,
    version: reader.credentialVersion,
    session: reader.session,
    bytes,
    after: after ?? everything.after,
    until: until ?? everything.until,
    game: reader.everything ? undefined : reader.game,
    learner: reader.actor,
    actor: filter.agent,
    relatedActor: filter.relatedAgent,
    authority: filter.authority,
    registration: filter.registration,
    activity: filter.activity,
    relatedActivity: filter.relatedActivity,
    verb: filter.verb,
  }
  return (Object.entries(all) as [ParameterName, unknown][]).filter(([, value]) => value !== undefined)
}

/** The placeholders of these parameters in the SQL. */
export const placeholders = (names: readonly ParameterName[]): Parameters =>
  Object.fromEntries(names.map((name, index) => [name, `$${index + 1}::${types[name]}`]))
