import type { Key } from '../../xapi/identify.ts'
import type { FilterKeys } from '../../xapi/statement-filter.ts'
import { everything } from '../../../process/database/look.ts'
import { filterTypes } from './page-conditions.ts'
import type { Credentialed } from './write-statements.ts'

/** The caller that asks for a page, and the statements that the caller may see. */
export interface Reader extends Credentialed {
  /** A launch token's learner, who sees only statements of their own. */
  readonly actor?: Key
  /** Reads all games except sandboxes, instead of `game`. */
  readonly everything: boolean
  /** Who reads all games asks for this one only. */
  readonly ofGame?: number
}

/** The game whose statements are read; undefined: all. */
export const gameOf = ({ everything, game, ofGame }: Reader): number | undefined =>
  ofGame ?? (everything ? undefined : game)

/** Microseconds: strictly after `after`, at or before `until`. */
export interface PageRange {
  readonly after?: number
  readonly until?: number
  readonly ascending: boolean
  /** Find voided statements, too. */
  readonly voided?: boolean
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
  ...filterTypes,
} as const

export type ParameterName = keyof typeof types
const names = Object.keys(types) as ParameterName[]

/** SQL of a parameter; undefined: the page does not have it. */
export type Parameters = Readonly<Partial<Record<ParameterName, string>>>

/** The parameters of a page, with their values. @param bytes the page ends with the statement that passes this many */
export function parametersOf(
  reader: Reader,
  filter: FilterKeys,
  { after, until }: PageRange,
  bytes: number,
): [ParameterName, unknown][] {
  const all: Partial<Record<ParameterName, unknown>> = {
    credential: reader.credential,
    version: reader.credentialVersion,
    session: reader.session,
    bytes,
    after: after ?? everything.after,
    until: until ?? everything.until,
    game: gameOf(reader),
    learner: reader.actor,
    ...filter,
  }
  return names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]]))
}

/** The placeholders of these parameters in the SQL. */
export const placeholders = (names: readonly ParameterName[]): Parameters =>
  Object.fromEntries(names.map((name, index) => [name, `$${index + 1}::${types[name]}`]))
