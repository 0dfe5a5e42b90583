import { html, type Html } from '../../../web/html.ts'
import type { Say } from '../../../web/say.ts'
import { drawing, pictureName, signs } from '../../parts/pictures.ts'

export const signName = (say: Say, sign: number): string => pictureName(say, signs[sign]!)
export const signPicture = (say: Say, sign: number): Html =>
  html`<span class="sign">${drawing(signs[sign]!, signName(say, sign))}</span>`
