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
