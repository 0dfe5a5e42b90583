/** How far counts are, for what is read from them. */
export interface Counted {
  /** Statements that are not counted, at most a million. */
  readonly behind: number
  /** Microseconds: all until then are counted. */
  readonly until: number
  /** Others are made, which will be shown in place of these. */
  readonly recounting: boolean
  /** Statements of days beyond those that are counted one by one. */
  readonly otherDays: number
  /** Days are those of this zone, and today is one of them. */
  readonly zone: string
}

/** Nothing was ever counted. */
export const nothingCounted: Counted = { behind: 0, until: 0, recounting: false, otherDays: 0, zone: 'UTC' }
