import type { Failure } from '../../gen/lrs/v1/failure_pb.js'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { ruleLink } from '../failure.ts'
import { html, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { layout } from './layout.ts'

const titles: Partial<Record<Reason, string>> = {
  [Reason.INVALID]: 'That did not work',
  [Reason.UNAUTHENTICATED]: 'Sign in again',
  [Reason.FORBIDDEN]: 'Not yours to open',
  [Reason.NOT_FOUND]: 'Not found',
  [Reason.CONFLICT]: 'Not now',
  [Reason.PRECONDITION_FAILED]: 'Not now',
  [Reason.TOO_LARGE]: 'Too large',
  [Reason.RATE_LIMITED]: 'A little slower, please',
  [Reason.QUOTA_EXCEEDED]: 'The limit is reached',
  [Reason.UNAVAILABLE]: 'Not available',
}

/** A page in words for what cannot be done. */
export function failurePage(viewer: Visit | undefined, failure: Failure): Html {
  const rule = ruleLink(failure.rule)
  return layout(viewer, titles[failure.reason] ?? 'Something went wrong', html`
      <p class="lead">${failure.message}</p>
      ${rule !== undefined && html`<p><a href="${rule}">Read the rule</a></p>`}
      <p class="actions">${failure.reason === Reason.UNAUTHENTICATED && html`<a class="button" href="/sign-in">Sign in</a> `}
        <a class="button quiet" href="${viewer?.account ? '/games' : '/'}">${viewer?.account ? 'Your games' : 'Home'}</a></p>`, { width: 'narrow' })
}
