import { html, type Html } from './html.ts'

/**
 * Code with a button that copies it; the page needs `copy.js` among its scripts and `game.css` among its styles.
 * @param copy the text of the button
 */
export const codeBlock = (
  id: string,
  what: string,
  code: string,
  copy = html`Copy<span class="visually-hidden"> the ${what}</span>`,
): Html => html`<div class="code"><button type="button" class="quiet small" data-copy="${id}" hidden>${copy}</button>
        <pre tabindex="0" role="region" aria-label="${what}"><code id="${id}">${code}</code></pre></div>`
