import { ForwardState, type Forward } from '../../../gen/lrs/v1/forwards_pb.js'
import { duration } from '../../charts/words.ts'
import { html, type Html } from '../../web/html.ts'
import { counted, moment } from '../parts/amount.ts'

/** What a forward does, for people. */
export interface StateWords {
  /** Of the badge. */
  readonly className: 'good' | 'busy' | 'warn' | 'bad'
  readonly text: string
  /** Why, and what comes next; undefined: there is nothing to add. */
  readonly more?: Html
}

type Doing = Pick<
  Forward,
  | 'state'
  | 'behindSeconds'
  | 'through'
  | 'failures'
  | 'problem'
  | 'nextAttempt'
  | 'setAside'
  | 'lastSent'
  | 'settings'
  | 'sent'
>

export function stateWords(forward: Doing): StateWords {
  const { state } = forward
  const behind = behindOf(forward)
  switch (state) {
    case ForwardState.PAUSED:
      return {
        className: 'warn',
        text: 'Paused',
        more: behind ?? html`Nothing waits. What is stored now waits until it is resumed.`,
      }
    case ForwardState.FAILING:
      return { className: 'bad', text: 'Failing', more: html`${failure(forward)} ${behind}` }
    case ForwardState.RUNNING:
      if (behind) return { className: 'busy', text: 'Sending', more: behind }
      return forward.sent > 0n
        ? { className: 'good', text: 'Up to date' }
        : { className: 'busy', text: 'Begins', more: html`Nothing has been sent yet. No statement is known to wait.` }
    default:
      return { className: 'warn', text: 'Unknown' }
  }
}

/** How much is to be sent; undefined: nothing. One that begins with the oldest statement is not behind since 1970. */
function behindOf({ behindSeconds, through }: Doing): Html | undefined {
  if (behindSeconds === 0n) return undefined
  return through === 0n
    ? html`It begins with the oldest statement.`
    : html`Behind by ${duration(Number(behindSeconds))}.`
}

/** Why the last attempt failed, and when the next one comes. The reason comes from outside: it is cut. */
function failure({ problem, failures, nextAttempt }: Doing): Html {
  const why = problem.length > 300 ? `${problem.slice(0, 300)}…` : problem || 'The target did not take the last batch'
  const isFuture = Number(nextAttempt) * 1000 > Date.now()
  return html`${/[.!?…]$/.test(why) ? why : `${why}.`} ${counted(failures, 'attempt')} failed; the next one comes
      ${isFuture ? html`on ${moment(nextAttempt, 'second')}` : 'at once'}.`
}

export const badgeOf = ({ className, text }: StateWords): Html => html`<span class="badge ${className}">${text}</span>`

/** The statements that the target did not take; undefined: there are none. */
export const setAsideBadge = ({ setAside }: Pick<Forward, 'setAside'>): Html | undefined =>
  setAside === 0n ? undefined : html`<span class="badge warn">${counted(setAside, 'statement')} set aside</span>`
