import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { postForm } from '../../parts/form.ts'

/** Browsers have passkeys only on https, and on localhost. */
export function mayHavePasskeys({ at }: Pick<Visit, 'at'>): boolean {
  const url = URL.parse(at.portal)
  return url !== null && (url.protocol === 'https:' || url.hostname === 'localhost')
}

interface PasskeyForm {
  readonly kind: 'create' | 'get'
  /** Where the answer of the passkey goes. */
  readonly action: string
  /** Where the script asks for a challenge. */
  readonly options: string
  readonly text: string
  /** Shown where scripts do not run. */
  readonly withoutScript?: string
  readonly className?: string
  readonly content?: Html
}

/** A form that the authenticator fills in; public/passkey.js shows its button. */
export const passkeyForm = (
  visit: Visit,
  { kind, action, options, text, withoutScript = 'Passkeys need JavaScript.', className = '', content }: PasskeyForm,
): Html =>
  postForm(
    visit,
    action,
    html`${content}
      <input type="hidden" name="passkey" data-passkey="${kind}" data-options="${options}">
      <p class="error" role="alert" hidden></p>
      <p class="muted" data-without-script>${withoutScript}</p>
      <div class="actions" hidden><button class="${className}">${text}</button></div>`,
  )
