import { html, type Html } from '../../web/html.ts'
import type { Say, TextName } from '../../web/say.ts'

type OfPicture<Name> = Name extends `picture.${infer Picture}` ? Picture : never
type Picture = OfPicture<TextName>

/** By which a teacher knows who waits: at the place of its number. */
export const signs: readonly Picture[] = [
  'cat',
  'dog',
  'fox',
  'bear',
  'panda',
  'lion',
  'tiger',
  'cow',
  'pig',
  'frog',
  'monkey',
  'chicken',
  'penguin',
  'owl',
  'duck',
  'horse',
  'unicorn',
  'bee',
  'butterfly',
  'snail',
  'turtle',
  'octopus',
  'fish',
  'whale',
]

/** That pupils choose as a second mark beside their names: at the place of its number. */
export const pictures: readonly Picture[] = [
  'sun',
  'moon',
  'star',
  'heart',
  'ball',
  'apple',
  'car',
  'house',
  'flower',
  'ice',
  'balloon',
  'key',
]

export const pictureName = (say: Say, picture: Picture): string => say.text(`picture.${picture}`)

/** The drawing, in portal/public/pictures. @param alt empty: its name stands beside it */
export const drawing = (picture: Picture, alt = ''): Html =>
  html`<img src="/public/pictures/${picture}.svg" alt="${alt}" width="32" height="32">`
