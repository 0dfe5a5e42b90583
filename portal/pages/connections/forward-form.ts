import type { Forward } from '../../../gen/lrs/v1/forwards_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../web/html.ts'
import type { Form, Visit } from '../../web/visit.ts'
import { errorOf, field, postForm, problem, select } from '../parts/form.ts'
import { connectionLayout, connectionsPath, forwardPath } from './connection-layout.ts'
import { credentialFields } from './credential-fields.ts'
import { noNames, type Named } from '../parts/suggestions.ts'
import { filterFields, filterLabels, filterValues } from './filter-fields.ts'
import { checkbox, radio, sinceFields, type Sent } from './form-parts.ts'

export interface Filling extends Sent {
  /** What the target said to a test; empty: it takes statements. */
  readonly tested?: string
  /** What statements of the game name, as suggestions. */
  readonly named?: Named
}

/** The fields of the form, with the labels by which problems name them. */
const labels = {
  name: 'Name',
  endpoint: 'Endpoint (xAPI)',
  version: 'Version of xAPI',
  credential: 'Credential',
  user: 'User name',
  password: 'Password',
  bearer: 'Token',
  ...filterLabels,
  since: 'Day',
}

/** Adds a forward. */
export function newForwardPage(visit: Visit, game: Game, filling: Filling = {}): Html {
  const path = `${connectionsPath(game)}/forwards`
  const values = filling.values ?? ofNew
  return connectionLayout(
    visit,
    game,
    'Forward statements',
    theForm(visit, path, filling.named ?? noNames, { ...filling, values }, 'Start forwarding', connectionsPath(game)),
    {
      scripts: ['connections.js'],
      lead: html`Another learning record store, the target, gets the statements of this game.
        <a href="/docs/forwarding">How forwarding works</a>`,
    },
  )
}

/** Changes a forward. */
export function changeForwardPage(visit: Visit, game: Game, forward: Forward, filling: Filling = {}): Html {
  const path = forwardPath(game, forward)
  const values = filling.values ?? ofForward(forward)
  return connectionLayout(
    visit,
    game,
    `Change ${forward.settings!.name}`,
    theForm(visit, path, filling.named ?? noNames, { ...filling, values }, 'Save', path, forward),
    {
      above: [{ href: path, text: forward.settings!.name }],
      scripts: ['connections.js'],
      lead: 'The change holds for what is sent from now on. What the target has, it keeps.',
    },
  )
}

const ofNew: Form = (name) =>
  ({ version: '1.0.3', credential: 'basic', statements: 'learners', from: 'now', attachments: 'yes' })[name] ?? ''

/** The settings as the form has them. What is secret is not among them. */
function ofForward({ settings }: Forward): Form {
  const { pseudonyms, bare, attachments, sandbox, ...texts } = settings!
  const values = new Map(
    Object.entries({
      name: texts.name,
      endpoint: texts.endpoint,
      version: texts.version,
      ...filterValues(texts),
      credential: 'keep',
      statements: sandbox ? 'sandbox' : 'learners',
      pseudonyms: pseudonyms ? 'yes' : '',
      bare: bare ? 'yes' : '',
      attachments: attachments ? 'yes' : '',
    }),
  )
  return (name) => values.get(name) ?? ''
}

function theForm(
  visit: Visit,
  path: string,
  named: Named,
  { values, failure, tested }: Filling & { values: Form },
  button: string,
  back: string,
  old?: Forward,
): Html {
  const sent = { values, failure }
  return postForm(
    visit,
    old ? `${path}/change` : path,
    html`
      ${tested === undefined && problem(failure, labels)}
      <div class="card"><h2>Where to</h2>
        ${field({
          name: 'name',
          label: labels.name,
          hint: 'For people, such as “LRS of the school”.',
          required: true,
          maxLength: 100,
          value: values('name'),
          failure,
        })}
        ${field({
          name: 'endpoint',
          label: labels.endpoint,
          hint: html`Ask the operator of the target. <code>/statements</code> is added to it.`,
          placeholder: 'https://lrs.example/xapi',
          type: 'url',
          required: true,
          maxLength: 2_000,
          value: values('endpoint'),
          failure,
        })}
        ${select({
          name: 'version',
          label: labels.version,
          hint: 'Most record stores take 1.0.3. Statements that need 2.0 are not sent to them; the forward lists them.',
          required: true,
          value: values('version'),
          of: [
            { value: '1.0.3', text: 'xAPI 1.0.3' },
            { value: '2.0.0', text: 'xAPI 2.0' },
          ],
          failure,
        })}
        ${credentialFields(sent, labels, old)}</div>
      <div class="card"><h2>Which statements</h2>${statementFields(sent, named, old)}</div>
      <div class="card"><h2>In which form</h2>${shapeFields(sent)}</div>
      ${!old && html`<div class="card"><h2>From when</h2>${sinceFields(sent, { orNow: true })}</div>`}
      <div class="card">
        <div id="tested" role="status" tabindex="-1">${tested !== undefined && answer(tested)}</div>
        <p class="hint">A test asks the target whether the credential is right. It stores nothing there.</p>
        <div class="actions"><button>${button}</button>
          <button class="quiet" formnovalidate formaction="${path}/test#tested" data-test>Test</button>
          <a class="button quiet" href="${back}">Cancel</a></div></div>`,
    'form connection',
  )
}

/** What the target said; with scripts it takes the place of the last answer. */
const answer = (tested: string): Html =>
  tested === ''
    ? html`<p class="notice good">It works: the target takes this credential.</p>
        <noscript><p>Enter the password or token again before you save: this page does not keep it.</p></noscript>`
    : html`<div class="notice bad"><p><strong>The target does not take statements yet.</strong></p>
        <p>${tested.slice(0, 1_000)}</p></div>`

function statementFields({ values, failure }: Sent & { values: Form }, named: Named, old?: Forward) {
  return html`
    ${
      old
        ? html`<p>${
            old.settings!.sandbox ? 'What sandbox sessions send.' : 'What learners do.'
          } <span class="hint">This cannot be changed: add another forward for the other ones.</span></p>`
        : html`<fieldset class="field"><legend>Of whom</legend>
          ${radio(values, 'statements', 'learners', 'Learners', 'What learners do in the published game.')}
          ${radio(
            values,
            'statements',
            'sandbox',
            'Sandbox',
            'What sandbox sessions send. Use it to try the target out.',
          )}</fieldset>`
    }
    ${filterFields({ values, failure }, ' Statements that void one of these are sent, too.', named)}`
}

const shapeFields = ({ values, failure }: Sent & { values: Form }): Html => html`
    ${errorOf('pseudonyms', failure)}
    ${checkbox(
      values,
      'pseudonyms',
      'Pseudonyms in place of learners',
      html`Names and accounts are replaced by the pseudonyms of this game, the same as in its exports.
      <strong>This loses signatures and attachments:</strong> a signed statement arrives without its signature, and no
      files are sent.`,
    )}
    <div class="of-pseudonyms">${checkbox(
      values,
      'bare',
      'Leave out responses and extensions, too',
      'This service cannot know whether your game writes names into them. Applies with pseudonyms only.',
    )}</div>
    <div class="of-names">${checkbox(
      values,
      'attachments',
      'Send the contents of attachments',
      'Without this, a statement is not sent if its attachment has no address (fileUrl); the forward lists it. Does not apply with pseudonyms.',
    )}</div>`
