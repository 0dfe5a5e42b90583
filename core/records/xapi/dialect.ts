/**
 * The two versions of the standard that the service speaks; any 1.0.x has the rules of 1.0.3, any 2.0.x those of
 * 2.0.0.
 */
export type Version = '1.0.3' | '2.0.0'

/**
 * `games`: the interface document wins for 1.0.3 wherever it differs from the standard; `xapi`: the standard to the
 * letter.
 */
export type Dialect = 'games' | 'xapi'

/** `shared`: all games know all learners and their names (interface document); `isolated`: each game knows its own. */
export type Tenancy = 'shared' | 'isolated'

/**
 * Every difference between versions, dialects and tenancies is one named switch here; what concerns HTTP alone is in
 * the gateway.
 */
export interface Rules {
  readonly version: Version
  /** The `version` of a stored statement that came without one. */
  readonly statementVersion: '1.0.0' | '2.0.0'
  /** Values of `version` that a statement may have: 1.0 and 1.0.x; with 2.0 also 2.0.x. */
  readonly statementVersions: RegExp
  /** The same id twice in one batch: the second is skipped, or the batch is refused (IEEE 9274.1.1). */
  readonly duplicateIdsInBatch: 'skip' | 'refuse'
  /** DELETE of profiles without profileId: deletes all of the scope (interface document), or 400. */
  readonly profileDeleteAll: boolean
  /** A profile PUT needs If-Match or If-None-Match: never, on profiles (xAPI 1.0.3), on state too (2.0). */
  readonly preconditions: 'none' | 'profiles' | 'all'
  /** contextAgents, contextGroups and the other additions of 2.0. */
  readonly contextAgents: boolean
  /** A score with min equal to max, as H5P and Open edX send it for what has no points. */
  readonly equalMinAndMax: boolean
  /** Timestamps without zone (taken as UTC), without seconds, or with an offset of hours alone (`+00`). */
  readonly shortTimestamps: boolean
  /** How durations are compared where a signature's payload is compared with its statement. */
  readonly durationPrecision: 'exact' | 'hundredths'
  /** GET of an activity that no statement names: 404 (interface document), or 200 with its id. */
  readonly unknownActivityIsEmpty: boolean
  /** Sources of a Person: statements and sessions of all games (interface document), or of the caller's game only. */
  readonly persons: 'of-all-games' | 'of-own-game'
  /** Agent profiles that a game reads and writes: those of all games (interface document), or its own. */
  readonly agentProfiles: 'of-all-games' | 'of-own-game'
}

const games: Rules = {
  version: '1.0.3',
  statementVersion: '1.0.0',
  statementVersions: /^1\.0(?:\.\d+(?:[+-][0-9A-Za-z.+-]+)?)?$/,
  duplicateIdsInBatch: 'skip',
  profileDeleteAll: true,
  preconditions: 'none',
  contextAgents: false,
  equalMinAndMax: true,
  shortTimestamps: true,
  durationPrecision: 'exact',
  unknownActivityIsEmpty: false,
  persons: 'of-all-games',
  agentProfiles: 'of-all-games',
}

const xapi: Rules = {
  ...games,
  profileDeleteAll: false,
  preconditions: 'profiles',
  equalMinAndMax: false,
  shortTimestamps: false,
  unknownActivityIsEmpty: true,
}

const ieee: Rules = {
  ...xapi,
  version: '2.0.0',
  statementVersion: '2.0.0',
  statementVersions: /^(?:1\.0|[12]\.0\.\d+(?:[+-][0-9A-Za-z.+-]+)?)$/,
  duplicateIdsInBatch: 'refuse',
  preconditions: 'all',
  contextAgents: true,
  durationPrecision: 'hundredths',
}

const shared = { games, xapi, ieee }
const apart = (rules: Rules): Rules => ({ ...rules, persons: 'of-own-game', agentProfiles: 'of-own-game' })
const all = { shared, isolated: { games: apart(games), xapi: apart(xapi), ieee: apart(ieee) } }

/** The rules for a request of this version in a store of this dialect and tenancy. */
export function rulesFor(version: Version, dialect: Dialect, tenancy: Tenancy = 'shared'): Rules {
  return all[tenancy][version === '2.0.0' ? 'ieee' : dialect]
}
