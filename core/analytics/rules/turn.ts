import type { Key } from '../../records/xapi/identify.ts'
import type { Said } from './said.ts'

/** A statement as it counts: its place, time and keys, and what it says. */
export interface Countable extends Said {
  /** Microseconds. */
  readonly stored: number
  /** When it happened: milliseconds, and the day; 0: beyond the days that are counted one by one. */
  readonly at: number
  day: number
  /** Of a team, a key of its own: the same account may also be a person. */
  readonly actor: Key
  /** Its actor is a Group. */
  readonly team: boolean
  readonly verb: Key
  /** Of its object, if that is an Activity. */
  readonly activity: Key | null
  /** What it tells of the game's cut; undefined: nothing, or there is no cut. */
  readonly cutValue?: string | undefined
}

/** A statement in its turn. */
export interface Turn extends Countable {
  readonly registration: string | null
  /** Number of the build that sent it; 0: not known. */
  build: number
  /** It was voided before it came. */
  readonly retracted: boolean
  /** It is voided by now. */
  readonly voided: boolean
  readonly voiding: boolean
  /** The statement before it that it voids. */
  readonly voids?: Countable
}

/** What core knows of an Activity from all its statements. */
export interface Names {
  /** Activities that are the game itself. */
  readonly wholeGames: ReadonlySet<Key>
}

/** What is known beside the statements that are counted. */
export interface Known extends Names {
  /** First days of people of whom statements have expired. */
  readonly firstDays: ReadonlyMap<Key, number>
}

/** The key of the team that has the same account as a person, and back. */
export const teamKey = (actor: Key): Key => actor.slice(0, -1) + (Number.parseInt(actor.slice(-1), 16) ^ 8).toString(16)

/** In place of the number of a build: all builds. */
export const allBuilds = -1
/** In place of the number of a build: the teams with that build, or with all of them. */
export const teamsOf = (build: number): number => -3 - build
/** The build of a number that may be one of `teamsOf`. */
export const plainBuild = (build: number): number => (build < allBuilds ? teamsOf(build) : build)

/** The key by which statements of the actor are found. */
export const plainActor = ({ actor, team }: Pick<Countable, 'actor' | 'team'>): Key => (team ? teamKey(actor) : actor)
