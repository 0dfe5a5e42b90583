import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import { html, type Html } from '../../web/html.ts'
import type { Form } from '../../web/visit.ts'
import { field } from '../parts/form.ts'

/** What came with a form that was refused. */
export interface Sent {
  readonly values?: Form | undefined
  readonly failure?: Failure | undefined
}

/** One choice of several, with a line that says what it means. */
export const radio = (values: Form, name: string, value: string, label: string | Html, hint?: string): Html =>
  choice('radio', name, value, label, values(name) === value, hint)

/** A switch, with a line that says what it does. */
export const checkbox = (values: Form, name: string, label: string, hint: string | Html): Html =>
  html`<div class="field">${choice('checkbox', name, 'yes', label, values(name) !== '', hint)}</div>`

function choice(
  type: 'radio' | 'checkbox',
  name: string,
  value: string,
  label: string | Html,
  isOn: boolean,
  hint?: string | Html,
): Html {
  const id = `field-${name}${type === 'radio' ? `-${value}` : ''}`
  return html`<div class="choose"><label class="option" for="${id}"><input type="${type}" id="${id}" name="${name}"
      value="${value}"${isOn && html` checked`}${hint !== undefined && html` aria-describedby="${id}-hint"`}>
      ${label}</label>${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}</div>`
}

/** From where statements are sent: the parameter `from` with `since`, a day. */
export const sinceFields = ({ values = () => '', failure }: Sent, { orNow }: { orNow: boolean }): Html => html`
    <fieldset class="field from"><legend>Send what was stored</legend>
      ${orNow && radio(values, 'from', 'now', 'From now on')}
      ${radio(values, 'from', 'beginning', 'From the beginning')}
      ${radio(values, 'from', 'date', 'From a day on')}
      <div class="of-date">${field({
        name: 'since',
        label: 'Day',
        hint: 'It begins at midnight, UTC.',
        note: 'for “From a day on”',
        type: 'date',
        value: values('since'),
        failure,
      })}</div></fieldset>`
