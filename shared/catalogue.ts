/** Subjects of games. Their names are in portal/texts, as `subject.<key>`. */
export const subjects = [
  'arts',
  'civics',
  'computing',
  'economics',
  'geography',
  'health',
  'history',
  'languages',
  'maths',
  'music',
  'reading',
  'science',
  'other',
] as const

/** A search asks for games that take this many minutes at most. */
export const minuteSteps = [10, 20, 45, 90] as const

/** Why visitors report a game. Their names are in portal/texts, as `complaint.<key>`. */
export const reportReasons = ['unsuitable', 'personal-data', 'advertising', 'broken', 'rights', 'other'] as const

/** Years and minutes at most; languages of a game, and of its texts; words of a search; games of a list. */
export const catalogue = { age: 99, minutes: 600, languages: 20, texts: 10, words: 8, games: 200 } as const

/**
 * Characters of a report and of the note of the operator; open reports of one game, further ones are refused; listed
 * ones, and how many open ones a list is chosen from; days for which closed ones are kept.
 */
export const reports = { text: 1_000, note: 1_000, ofGame: 100, listed: 200, looked: 10_000, keptDays: 180 } as const

/** What a visitor looks for; empty and 0: anything. */
export interface Wanted {
  readonly words: string
  readonly subject: string
  readonly age: number
  readonly language: string
  readonly minutes: number
}
