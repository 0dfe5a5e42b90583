import type { InsightActivity, InsightVerb } from '../../../gen/lrs/v1/insights_pb.js'

/** What the statements of a game name, for fields that take an IRI. */
export interface Named {
  readonly verbs: readonly InsightVerb[]
  readonly activities: readonly InsightActivity[]
}

export const noNames: Named = { verbs: [], activities: [] }

export const verbChoices = ({ verbs }: Named) =>
  verbs.map(({ verbId, name }) => ({ value: verbId, text: name || verbId }))

export const activityChoices = ({ activities }: Named) =>
  activities.map(({ activityId, name }) => ({ value: activityId, text: name || activityId }))
