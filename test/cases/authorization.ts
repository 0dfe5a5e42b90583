/** What the cases are made of: base64 of key and secret, and a launch token. */
export interface Shown {
  readonly basic: string
  readonly token: string
}

/** A way to write a credential, and the fault that a 401 names; none: it is the one spelling, but for the scheme. */
export interface Spelling {
  readonly about: string
  readonly header: (of: Shown) => string
  readonly fault?: string
  /** HTTP takes the blanks off the ends of a header, so there it is the one spelling. */
  readonly trimmed?: true
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** Another text of the same bytes: their number leaves bits of the last digit unused. */
const otherBit = (text: string) => text.replace(/[\w-](?==*$)/, (last) => digits[digits.indexOf(last) ^ 1]!)
const encoding = 'with its padding and nothing after it'
const signature = 'byte for byte as it was made'

/** `basic` must be of a length that needs padding, and have a `+`, which base64url writes otherwise. */
export const spellings: readonly Spelling[] = [
  { about: 'as encoders write it', header: ({ basic }) => `Basic ${basic}` },
  { about: 'the scheme in small letters', header: ({ basic }) => `basic ${basic}` },
  { about: 'the scheme in capitals', header: ({ basic }) => `BASIC ${basic}` },
  { about: 'a token', header: ({ token }) => `Bearer ${token}` },
  { about: 'a token, its scheme in mixed letters', header: ({ token }) => `bEARER ${token}` },
  { about: 'two spaces', header: ({ basic }) => `Basic  ${basic}`, fault: 'write one space after Basic, not 2' },
  { about: '60 spaces', header: ({ token }) => `Bearer${' '.repeat(60)}${token}`, fault: 'write one space after' },
  { about: 'no space', header: ({ basic }) => `Basic${basic}`, fault: 'must be "Basic <base64' },
  { about: 'a tab', header: ({ basic }) => `Basic\t${basic}`, fault: 'must be "Basic <base64' },
  { about: 'a space at the end', header: ({ basic }) => `Basic ${basic} `, fault: encoding, trimmed: true },
  { about: 'no padding', header: ({ basic }) => `Basic ${basic.replace(/=+$/, '')}`, fault: encoding },
  { about: 'more padding', header: ({ basic }) => `Basic ${basic}=`, fault: encoding },
  { about: 'base64url', header: ({ basic }) => `Basic ${basic.replace('+', '-')}`, fault: encoding },
  { about: 'another last bit', header: ({ basic }) => `Basic ${otherBit(basic)}`, fault: encoding },
  {
    about: 'something between',
    header: ({ basic }) => `Basic ${basic.slice(0, 4)}!${basic.slice(4)}`,
    fault: encoding,
  },
  { about: 'bytes that are not UTF-8', header: () => 'Basic /zp4', fault: encoding },
  { about: 'no colon', header: () => 'Basic YWJj', fault: 'no colon' },
  { about: 'another scheme', header: ({ basic }) => `Digest ${basic}`, fault: 'must be "Basic <base64' },
  { about: 'a token and another', header: ({ token }) => `Bearer ${token},${token}`, fault: 'tokens never have' },
  { about: 'a token and =', header: ({ token }) => `Bearer ${token}=`, fault: signature },
  { about: 'another last bit of a signature', header: ({ token }) => `Bearer ${otherBit(token)}`, fault: signature },
]
