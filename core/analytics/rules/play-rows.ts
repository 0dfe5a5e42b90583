import type { PersonDay, Span } from './person-days.ts'
import type { Kind, Play } from './plays.ts'

/** A play of a statement that is not voided. */
export interface PlayTurn extends Play {
  /** Milliseconds. */
  readonly at: number
  readonly day: number
  readonly team: boolean
  /** Keys. */
  readonly activity: string
  readonly actor: string
  /** Number of the build; 0: not known. */
  readonly build: number
}

/** Something of the game that players do something with. */
export interface Thing {
  readonly number: number
  readonly activity: string
}

export interface ThingOption {
  readonly thing: number
  readonly number: number
  readonly response: string
  name: string
  /** How often it was chosen or unlocked: in what is known, in all; in changes, what is added. */
  uses: number
}

/** What one person did, of one kind, with one thing. */
export interface Person {
  readonly thing: number
  readonly kind: Kind
  readonly actor: string
  readonly days: PersonDay[]
  readonly choices: PersonChoice[]
  /** Where the row is; undefined: there is none yet. */
  readonly place?: string
}

/** What a person chose on a day in a build. */
export interface PersonChoice extends ChoiceSums {
  readonly day: number
  readonly build: number
  readonly option: number
}

export interface ChoiceSums {
  chosen: number
  right: number
  wrong: number
  unlocked: number
}

/** What is known of all that the turns touch. */
export interface Known {
  readonly things: readonly Thing[]
  /** The next new thing gets this number. */
  readonly nextThing: number
  readonly options: readonly ThingOption[]
  readonly people: readonly Person[]
}

/** Of a day, or of a whole month, whose first day `day` is then. */
export interface OfPeriod {
  readonly wholeMonth: boolean
  readonly day: number
}

export interface DayCount extends OfPeriod {
  readonly thing: number
  readonly kind: Kind
  readonly build: number
  statements: number
}

export interface ChoiceCount extends PersonChoice, OfPeriod {
  readonly thing: number
}

/** Of a month only those whose next day is after it: a range has the month whole or not at all. */
export interface PeopleCount extends Span, OfPeriod {
  readonly thing: number
  readonly kind: Kind
  readonly build: number
  people: number
}

/** Counts that are added, or taken off where they are negative. */
export interface PlayCounts {
  readonly days: readonly DayCount[]
  readonly choices: readonly ChoiceCount[]
  readonly people: readonly PeopleCount[]
}

/** What turns change: counts, and rows as they become. */
export interface PlayChanges extends PlayCounts {
  readonly things: readonly Thing[]
  readonly options: readonly ThingOption[]
  readonly persons: readonly Person[]
}
