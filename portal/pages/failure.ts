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

/** Fields that take somebody a while to write. */
const longer = ['summary', 'description', 'about', 'message', 'note']

/** A page in words for what cannot be done. */
export function failurePage(viewer: Visit | undefined, failure: Failure): Html {
  const rule = ruleLink(failure.rule)
  // only a form of ours gets as far as that
  const typed = failure.reason === Reason.UNAUTHENTICATED && viewer ? longer.map(viewer.form).filter((text) => text !== '') : []
  return layout(viewer, titles[failure.reason] ?? 'Something went wrong', html`
      <p class="lead">${failure.message}</p>
      ${rule !== undefined && html`<p><a href="${rule}">Read the rule</a></p>`}
      ${typed.length > 0 && html`<p>Nothing was saved. This is what you typed, to be copied before you go:</p>${typed.map((text) => html`<pre class="typed" tabindex="0" role="group" aria-label="What you typed">${text}</pre>`)}`}
      <p class="actions">${failure.reason === Reason.UNAUTHENTICATED && html`<a class="button" href="/sign-in">Sign in</a> `}
        <a class="button quiet" href="${viewer?.account ? '/games' : '/'}">${viewer?.account ? 'Your games' : 'Home'}</a></p>`, { width: 'narrow' })
}
