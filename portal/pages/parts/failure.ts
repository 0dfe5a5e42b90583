import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { ruleLink, toLearner } from '../../web/failure.ts'
import { html, type Html } from '../../web/html.ts'
import { ownPath, type Visit } from '../../web/visit.ts'
import { layout } from './layout.ts'

const titles: Partial<Record<Reason, string>> = {
  [Reason.INVALID]: 'That did not work',
  [Reason.UNAUTHENTICATED]: 'Sign in again',
  [Reason.FORBIDDEN]: 'No access',
  [Reason.NOT_FOUND]: 'Not found',
  [Reason.CONFLICT]: 'Not possible right now',
  [Reason.PRECONDITION_FAILED]: 'Not possible right now',
  [Reason.TOO_LARGE]: 'Too large',
  [Reason.RATE_LIMITED]: 'Too many requests',
  [Reason.QUOTA_EXCEEDED]: 'Limit reached',
  [Reason.UNAVAILABLE]: 'Not available',
}

/** Fields that people type into, without passwords. */
const labels: Readonly<Record<string, string>> = {
  name: 'Name',
  studio_name: 'Name of the studio',
  learner_name: 'Name of the learner',
  sender_name: 'Your name',
  sender_email: 'Your e-mail address',
  website: 'Website',
  summary: 'Summary',
  description: 'Description',
  about: 'About the studio',
  message: 'Message',
  note: 'Note',
  text: 'Text',
}

/** A page that says what failed, and what to do. */
export function failurePage(viewer: Visit | undefined, failure: Failure): Html {
  if (viewer && /^\/(?:i|c|join|parent|play|beta|device)(?:\/|$)/.test(viewer.request.path))
    return learnerFailurePage(viewer, failure)
  const rule = ruleLink(failure.rule)
  // the visitor did not type what another site sent
  const typed = viewer?.isOurs ? Object.entries(labels).filter(([name]) => viewer.form(name) !== '') : []
  const from = viewer && pageOfForm(viewer)
  const title = failure.reason === Reason.FORBIDDEN && viewer?.isOurs ? 'Not accepted' : titles[failure.reason]
  return layout(
    viewer,
    title ?? 'Something went wrong',
    html`
      <p class="lead">${failure.message}</p>
      ${rule !== undefined && html`<p><a href="${rule}">Read the rule</a></p>`}
      ${typed.length > 0 && viewer && html`<p>Nothing was saved. Copy what you typed before you continue:</p>${typed.map(([name, label]) => kept(name, label, viewer.form(name)))}`}
      <p class="actions">${failure.reason === Reason.UNAUTHENTICATED && html`<a class="button" href="/sign-in${from !== undefined && `?next=${encodeURIComponent(from)}`}">Sign in</a> `}
        ${failure.reason !== Reason.UNAUTHENTICATED && typed.length > 0 && from !== undefined && html`<a class="button" href="${from}">Open the form again</a> `}
        <a class="button quiet" href="${viewer?.account ? '/games' : '/'}">${viewer?.account ? 'Your games' : 'Home'}</a></p>`,
    { width: 'narrow' },
  )
}

const learnerFailurePage = (visit: Visit, failure: Failure): Html =>
  layout(
    visit,
    visit.say.text('failed.title'),
    html`<p class="lead">${toLearner(visit.say, failure).message}</p>
      <p class="actions"><a class="button quiet" href="/">${visit.say('failed.home')}</a></p>`,
    { width: 'narrow', forLearners: true },
  )

const kept = (
  name: string,
  label: string,
  text: string,
): Html => html`<div class="field"><label for="typed-${name}">${label}</label>
        <textarea id="typed-${name}" readonly rows="${Math.min(12, Math.max(1, Math.ceil(text.length / 60)))}">
${text}</textarea></div>`

/** The page with the form, from the header Referer. */
function pageOfForm({ isOurs, request, at }: Visit): string | undefined {
  const url = isOurs ? URL.parse(request.get('referer') ?? '') : null
  return url?.origin === at.portal ? ownPath(url.pathname + url.search) : undefined
}
