/** Scripts in which a joiner between letters changes how a word is written. */
const joining = [
  'Arabic Syriac Mandaic Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam',
  'Sinhala Myanmar Khmer Balinese Javanese',
]
  .flatMap((line) => line.split(' '))
  .map((script) => `\\p{scx=${script}}`)
  .join('')

/** Joiners where they belong: after a letter of these scripts, and between pictures that are one. */
const joiners = new RegExp(
  `(?<=[${joining}][\\p{L}\\p{M}]?)[\\u200c\\u200d](?![\\u200c\\u200d])` +
    `|(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})`,
  'gu',
)
/** A variant of the sign before it, such as that of a Japanese name or of a picture. */
const variants = /(?<=[^\s\p{Variation_Selector}])\p{Variation_Selector}/gu
const hidden = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/**
 * The first character of a name that is invisible or turns the text around it: with these, a name looks like another
 * one. Returns its number, such as `U+202E`. Undefined: there is none.
 */
export const hiddenIn = (text: string): string | undefined =>
  numberOf(text.replaceAll(joiners, '').replaceAll(variants, ''))

/** The same for what may not have any of them, as an e-mail address. */
export function numberOf(text: string): string | undefined {
  const found = hidden.exec(text)?.[0]
  return found && `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}
