import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'

interface UploadBox {
  /** Names the box on its page. */
  readonly id: string
  /** Where an upload is requested: `/games/<uuid>/uploads` or `/uploads`. */
  readonly action: string
  readonly kind: 'browser-build' | 'desktop-build' | 'gallery-image' | 'teaching-note' | 'logo'
  /** What is to be chosen, for instance `Browser build (.zip)`. */
  readonly label: string
  readonly hint: string | Html
  /** Endings and types that the browser offers. */
  readonly accept: string
  /** Where it is said which names fit. */
  readonly rule?: string
  /** Where the page goes when the file is taken over. */
  readonly next: string
}

/** Takes one file by choice or drop; the page needs `upload.js` among its scripts. */
export const uploadBox = (
  { csrfToken }: Pick<Visit, 'csrfToken'>,
  { id, action, kind, label, hint, accept, rule, next }: UploadBox,
): Html => html`
  <div class="upload" data-action="${action}" data-kind="${kind}" data-next="${next}" data-csrf="${csrfToken}"${rule !== undefined && html` data-rule="${rule}"`}>
    <noscript><p class="notice warn">Uploading needs JavaScript. The file is sent in parts, so a lost connection does
    not mean starting over.</p></noscript>
    <div class="drop">
      <label for="${id}">${label}</label>
      <p class="hint" id="${id}-hint">${hint}</p>
      <input type="file" id="${id}" autocomplete="off" accept="${accept}" aria-describedby="${id}-hint">
      <p class="hint drop-hint" hidden>…or drop it here.</p>
    </div>
    <div class="sending" hidden>
      <p class="file"></p>
      <progress max="100" value="0" aria-label="Progress of the upload"></progress>
      <p class="told" role="status"></p>
      <div class="actions"><button type="button" class="quiet small pause">Pause</button><button type="button"
      class="quiet small cancel">Cancel</button></div>
    </div>
    <div class="notice bad problem" role="alert" hidden></div>
  </div>`
