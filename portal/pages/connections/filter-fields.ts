import type { KeptFilter } from '../../../shared/statement-filters.ts'
import { html, type Html } from '../../web/html.ts'
import { field } from '../parts/form.ts'
import { activityChoices, noNames, verbChoices } from '../parts/suggestions.ts'
import type { Form } from '../../web/visit.ts'
import { checkbox, type Sent } from './form-parts.ts'

/** The labels by which problems name the fields. */
export const filterLabels = { verb: 'Verb', activity: 'Activity' }

/** The fields that say which statements. @param verbHint further words about the verb @param named suggestions */
export const filterFields = (
  { values, failure }: Sent & { values: Form },
  verbHint = '',
  named = noNames,
): Html => html`
    ${field({
      name: 'verb',
      label: filterLabels.verb,
      hint: `A name such as completed, or an IRI. Empty: all verbs.${verbHint}`,
      note: 'optional',
      maxLength: 4_000,
      value: values('verb'),
      choices: verbChoices(named),
      failure,
    })}
    ${field({
      name: 'activity',
      label: filterLabels.activity,
      hint: 'Its IRI. Empty: all activities.',
      note: 'optional',
      maxLength: 4_000,
      value: values('activity'),
      choices: activityChoices(named),
      failure,
    })}
    ${checkbox(
      values,
      'related_activities',
      'Find the activity anywhere in a statement',
      'Also as the parent, the group or the category. Without this, only as the object.',
    )}`

/** The filter as the form has it. */
export const filterValues = ({ verb, activity, relatedActivities }: KeptFilter): Record<string, string> => ({
  verb,
  activity,
  related_activities: relatedActivities ? 'yes' : '',
})

/** The filter for people. */
export const filterFacts = ({
  verb,
  activity,
  relatedActivities,
}: KeptFilter): (readonly [string, Html | string])[] => [
  [filterLabels.verb, verb === '' ? 'all' : html`<code>${verb}</code>`],
  [
    filterLabels.activity,
    activity === ''
      ? 'all'
      : html`<code>${activity}</code>${relatedActivities ? ' anywhere in a statement' : ' as the object'}`,
  ],
]
