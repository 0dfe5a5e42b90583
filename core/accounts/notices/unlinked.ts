/** What mail programs read as a dot, a colon or a slash of an address: the full-width forms too, as IDNA does. */
const dot = '[.\u2024\u3002\uff0e\uff61]'
const colon = '[:\ufe55\uff1a]'
const slash = '[/\\\\\u2044\u2215\uff0f]'

const mailAddress = /^[(“]?[\w+-]+(?:\.[\w+-]+)*@(?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]+[.,;:)”]*$/u
const invisible = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const breaks: readonly (readonly [RegExp, string])[] = [
  // https://x, mailto:x
  [new RegExp(`${colon}(?=${slash}|[^\\s\\d])`, 'gu'), '[:]'],
  // evil.example in any script, and 203.0.113.7/x
  [new RegExp(`${dot}(?=[\\p{L}\\p{M}]|\\d{1,3}(?:${dot}|${slash}))`, 'gu'), '[.]'],
  [/@(?=\S)/g, '[@]'],
]

/**
 * A text of a mail in which no mail program finds an address to open. It may have names of studios and games, and our
 * mails must not link to other sites. Line breaks stay; other invisible characters go. Plain e-mail addresses stay.
 */
export const unlinked = (text: string): string => text.split('\n').map(lineOf).join('\n')

const lineOf = (line: string): string =>
  line
    .replaceAll(/\s/g, ' ')
    .replaceAll(invisible, '')
    .split(' ')
    .map((word) =>
      mailAddress.test(word) ? word : breaks.reduce((text, [sign, broken]) => text.replaceAll(sign, broken), word),
    )
    .join(' ')
