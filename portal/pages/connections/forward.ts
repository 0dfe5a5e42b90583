import { ForwardState, type Forward, type SetAside } from '../../../gen/lrs/v1/forwards_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../web/html.ts'
import { isDeveloper, type Visit } from '../../web/visit.ts'
import { counted, moment } from '../parts/amount.ts'
import { form, hidden, postForm, question, submit } from '../parts/form.ts'
import { factsOf } from '../parts/facts.ts'
import { connectionLayout, forwardPath } from './connection-layout.ts'
import { filterFacts } from './filter-fields.ts'
import { sinceFields, type Sent } from './form-parts.ts'
import { badgeOf, setAsideBadge, stateWords } from './forward-state.ts'
import { setAsideSections } from './set-aside.ts'

interface Shown extends Sent {
  readonly done?: string | undefined
}

/** One forward: what it does, its settings, what the target did not take. */
export function forwardPage(
  visit: Visit,
  game: Game,
  forward: Forward,
  setAside: readonly SetAside[],
  { values, failure, done }: Shown = {},
): Html {
  const path = forwardPath(game, forward)
  const mayChange = isDeveloper(visit)
  return connectionLayout(
    visit,
    game,
    forward.settings!.name,
    html`
      <section class="card" aria-labelledby="now"><h2 id="now">Now</h2>${nowOf(forward)}
        ${mayChange && pauseForm(visit, path, forward)}</section>
      <section class="card" aria-labelledby="settings"><h2 id="settings">Settings</h2>${settingsOf(forward)}
        ${
          mayChange &&
          html`<div class="actions"><a class="button quiet" href="${path}/change">Change</a>
          <a class="button danger" href="${path}/remove">Remove…</a></div>`
        }</section>
      ${setAsideSections(visit, game, forward, setAside)}
      ${
        mayChange &&
        html`<section class="card" aria-labelledby="again"><h2 id="again">Send again</h2>
        <p>If the target has lost statements, send them once more. What it still has is not doubled: its id is the same.
        “Sent” counts it again.</p>
        ${form(visit, `${path}/send-again`, { failure }, [
          {
            name: 'since',
            label: 'Day',
            content: sinceFields(
              { values: values ?? ((name) => (name === 'from' ? 'date' : '')), failure },
              { orNow: false },
            ),
          },
          submit('Send again', { className: 'quiet' }),
        ])}</section>`
      }`,
    { done, aside: html`${badgeOf(stateWords(forward))} ${setAsideBadge(forward)}` },
  )
}

function nowOf(forward: Forward): Html {
  const { sent, through, lastSent, created } = forward
  const { more, className } = stateWords(forward)
  const facts: (readonly [string, Html | string])[] = [
    ['Sent', counted(sent, 'statement')],
    ['Last sent', lastSent === 0n ? 'nothing yet' : moment(lastSent)],
    ...(through === 0n ? [] : ([['Complete up to', moment(Number(through) / 1_000_000)]] as const)),
    ['Added', moment(created)],
  ]
  return html`${more && html`<p class="${className === 'bad' ? 'notice bad' : ''}">${more}</p>`}${factsOf(facts)}`
}

function pauseForm(visit: Visit, path: string, { state }: Forward): Html {
  const isPaused = state === ForwardState.PAUSED
  return postForm(
    visit,
    `${path}/pause`,
    html`${hidden('paused', isPaused ? 'no' : 'yes')}${submit(isPaused ? 'Resume' : 'Pause', {
      className: isPaused ? '' : 'quiet',
      beside: html`<span class="hint">${
        isPaused ? 'It goes on where it stopped.' : 'What is stored meanwhile waits, and is sent later.'
      }</span>`,
    })}`,
  )
}

function settingsOf({ settings, user }: Forward): Html {
  const { endpoint, version, sandbox, pseudonyms, bare, attachments } = settings!
  return factsOf([
    ['Endpoint', html`<code>${endpoint}</code>`],
    ['Version', `xAPI ${version}`],
    ['Credential', user === '' ? 'a token, kept encrypted' : html`user <code>${user}</code>, password kept encrypted`],
    ['Statements', sandbox ? 'of sandbox sessions' : 'of learners'],
    ...filterFacts(settings!),
    [
      'Learners',
      pseudonyms
        ? `as pseudonyms, without signatures and attachments${bare ? ', responses and extensions' : ''}`
        : 'with their names and accounts',
    ],
    ...(pseudonyms ? [] : ([['Attachments', attachments ? 'with their contents' : 'not sent']] as const)),
  ])
}

/** Asks before a forward ends. */
export function removeForwardPage(visit: Visit, game: Game, forward: Forward): Html {
  const path = forwardPath(game, forward)
  const { name, endpoint } = forward.settings!
  return connectionLayout(
    visit,
    game,
    'Remove the forward',
    question(
      visit,
      `${path}/remove`,
      html`<p>Nothing more is sent to <strong>${name}</strong> (<code>${endpoint}</code>). Its credential and the list of
        what was set aside are forgotten. What the target has, it keeps.</p>
        <p>To stop for a while only, pause it.</p>`,
      'Remove it',
      path,
    ),
    { above: [{ href: path, text: name }] },
  )
}
