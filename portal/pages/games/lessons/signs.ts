import { html, type Html } from '../../../web/html.ts'
import type { Say } from '../../../web/say.ts'

export const signName = (_: Say, sign: number): string => String(sign + 1)
export const signPicture = (say: Say, sign: number): Html => html`<span class="sign">${signName(say, sign)}</span>`
