import type { Forward } from '../../../gen/lrs/v1/forwards_pb.js'
import { html, type Html } from '../../web/html.ts'
import type { Form } from '../../web/visit.ts'
import { errorOf, field } from '../parts/form.ts'
import { radio, type Sent } from './form-parts.ts'

interface Labels {
  readonly credential: string
  readonly user: string
  readonly password: string
  readonly bearer: string
}

/** How the target is told who sends. A secret that was typed or stored is never part of the page. */
export function credentialFields(
  { values, failure }: Sent & { values: Form },
  labels: Labels,
  old: Forward | undefined,
): Html {
  const kept = failure ? 'Enter it again: this page does not keep it.' : 'It is kept encrypted and never shown again.'
  const secret = { type: 'password', autocomplete: 'off', note: '', failure } as const
  return html`<fieldset class="field credential"><legend>${labels.credential}</legend>
      ${errorOf('credential', failure)}
      ${
        old &&
        radio(
          values,
          'credential',
          'keep',
          old.user === ''
            ? 'The token that is stored'
            : html`As it is stored: <code>${old.user}</code> and its password`,
          'A new endpoint needs it again.',
        )
      }
      ${radio(values, 'credential', 'basic', 'User name and password')}
      ${radio(values, 'credential', 'bearer', 'Token (Bearer)')}
      <div class="of-basic">${field({
        name: 'user',
        label: labels.user,
        hint: 'Some record stores call it the key.',
        note: '',
        autocomplete: 'off',
        maxLength: 500,
        value: values('user'),
        failure,
      })}
      ${field({
        ...secret,
        name: 'password',
        label: labels.password,
        hint: `Or the secret. ${kept}`,
        maxLength: 500,
      })}</div>
      <div class="of-bearer">${field({
        ...secret,
        name: 'bearer',
        label: labels.bearer,
        hint: kept,
        maxLength: 4_000,
      })}</div></fieldset>`
}
