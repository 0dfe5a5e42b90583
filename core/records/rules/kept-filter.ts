import { iriParameter } from '../xapi/parameters.ts'
import { Problem } from '../../process/problem.ts'
import type { KeptFilter } from '../../../shared/statement-filters.ts'
import { checkAll } from '../../process/rules/check-all.ts'

/** The filter of settings, as it is kept. @throws Problem */
export function keptFilter({ verb, activity, relatedActivities }: KeptFilter): KeptFilter {
  if (relatedActivities && activity.trim() === '')
    throw new Problem('settings.activity', 'must be given to find it anywhere in a statement')
  const [ofVerb, ofActivity] = checkAll(
    () => optionalIri(verb, 'settings.verb', 'http://adlnet.gov/expapi/verbs/completed'),
    () => optionalIri(activity, 'settings.activity'),
  )
  return { verb: ofVerb, activity: ofActivity, relatedActivities }
}

const optionalIri = (text: string, path: string, example?: string): string =>
  text.trim() === '' ? '' : iriParameter(text.trim(), path, example)
