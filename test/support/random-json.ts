import fc from 'fast-check'

const space = fc.stringMatching(/^[ \n\r\t]{0,2}$/)
const unit = fc.oneof(
  fc.constantFrom(
    '\\u0061',
    '\\"',
    '\\\\',
    '\\n',
    '\\/',
    '\\u0000',
    '\\ud800',
    '\\udc00',
    '\u2028',
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }).map((text) => JSON.stringify(text).slice(1, -1)),
)

/** A string literal, with escapes where none are needed too. */
const stringText = fc.array(unit, { maxLength: 6 }).map((units) => `"${units.join('')}"`)

const keyText = fc.oneof(
  stringText,
  fc.constantFrom('"__proto__"', '"constructor"', '"\\u005f_proto__"', '"0"', '"a"', '""'),
)

const scalarText = fc.oneof(
  stringText,
  fc.constantFrom('true', 'false', 'null', '0', '-0', '1.0', '1e400', '-1E-7', '9223372036854775808', '1e131071'),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((number) => JSON.stringify(number)),
)

/** Any JSON text without duplicate keys: white space, escapes and numbers spelled in all the ways there are. */
export const { jsonText, objectText, arrayText } = fc.letrec<{
  jsonText: string
  objectText: string
  arrayText: string
}>((tie) => {
  const padded = fc.tuple(space, tie('jsonText'), space).map((parts) => parts.join(''))
  const member = fc.tuple(space, keyText, space, padded)
  return {
    jsonText: fc.oneof({ depthSize: 'medium', withCrossShrink: true }, scalarText, tie('arrayText'), tie('objectText')),
    arrayText: fc.tuple(space, fc.array(padded, { maxLength: 4, depthIdentifier: 'json' })).map(([blank, values]) => {
      return `[${values.join(',') || blank}]`
    }),
    objectText: fc
      .uniqueArray(member, { maxLength: 4, depthIdentifier: 'json', selector: ([, key]) => JSON.parse(key) as string })
      .map((list) => `{${list.map(([before, key, after, value]) => `${before}${key}${after}:${value}`).join(',')}}`),
  }
})
