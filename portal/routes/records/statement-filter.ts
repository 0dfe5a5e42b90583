import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { InsightVerb } from '../../../gen/lrs/v1/insights_pb.js'
import { PageFailure } from '../../web/failure.ts'
import {
  filterFrom,
  statementFilters,
  type KeptFilter,
  type StatementFilter,
} from '../../../shared/statement-filters.ts'
import { learnerIn } from '../../pages/records/statement.ts'
import { verbIn } from './verb-filter.ts'
import type { Form, Visit } from '../../web/visit.ts'

/** The filter in the form of a forward or a webhook. @param verbs those of the game @throws PageFailure */
export function keptFilterIn(form: Form, verbs: readonly InsightVerb[] = []): KeptFilter {
  const activity = form('activity').trim()
  const relatedActivities = activity !== '' && form('related_activities') !== ''
  return { verb: verbIn(form('verb'), verbs), activity, relatedActivities }
}

/** The filters of the address, as core expects them. A date stands for the whole day. */
export function filterOf({ query }: Visit, verbs: readonly InsightVerb[]): StatementFilter {
  const [since, until] = [query('since'), query('until')]
  const agent = learnerIn(query('agent'))
  if (agent === undefined) {
    throw new PageFailure(
      Reason.INVALID,
      'Enter an account as name @ home page (such as ada @ https://example.org), an e-mail address, an OpenID, ' +
        'or an agent as JSON. Several learners can have the same name, so a name alone is not enough',
      { path: 'agent' },
    )
  }
  const isDay = (value: string) => /^\d{4}-\d\d-\d\d$/.test(value)
  return {
    ...filterFrom((name) => ('field' in statementFilters[name] ? query(name).trim() : '')),
    agent,
    verb: verbIn(query('verb'), verbs),
    since: isDay(since) ? `${since}T00:00:00Z` : since,
    until: isDay(until) ? `${until}T23:59:59.999999Z` : until,
  }
}
