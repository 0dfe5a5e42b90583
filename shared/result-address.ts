/**
 * Parameters of result pages that a saved view may have. The others name a learner, whose erasure would not reach them,
 * or a place in a list.
 */
export const viewParameters = [
  'from',
  'days',
  'since',
  'until',
  'build',
  'compare',
  'of',
  'verb',
  'activity',
  'order',
] as const

/**
 * The first of the numbers that stand in place of that of a build for the values of a game's cut. The first one is that of
 * statements that tell no value.
 */
export const firstCutValue = 2_000_000

/** Whether it is the number of a value of the cut, not of a build. */
export const isCutValue = (build: unknown): boolean => typeof build === 'number' && build >= firstCutValue
