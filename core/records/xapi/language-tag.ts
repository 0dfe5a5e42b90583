const shape = new RegExp(
  '^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\\d{3}))?' +
    '(?:-(?:[a-z0-9]{5,8}|\\d[a-z0-9]{3}))*' +
    '(?:-[a-wyz0-9](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?|x(?:-[a-z0-9]{1,8})+)$',
  'i',
)

const grandfathered = new Set(
  (
    'en-gb-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu ' +
    'sgn-be-fr sgn-be-nl sgn-ch-de art-lojban cel-gaulish no-bok no-nyn zh-guoyu zh-hakka zh-min zh-min-nan zh-xiang'
  ).split(' '),
)

const longest = 255

/**
 * The syntax of a language tag of RFC 5646, without repeated variants or singletons. Subtags need not be registered.
 */
export function isLanguageTag(text: string): boolean {
  if (text.length > longest) return false
  if (!shape.test(text)) return grandfathered.has(text.toLowerCase())
  return text.length <= 7 || !repeats(text.toLowerCase().split('-'))
}

function repeats(subtags: string[]): boolean {
  const seen = new Set<string>()
  let extension = false
  for (const [index, subtag] of subtags.entries()) {
    if (subtag === 'x') return false
    const singleton = subtag.length === 1
    const variant = !extension && index > 0 && (subtag.length >= 5 || /^\d...$/.test(subtag))
    if ((singleton || variant) && seen.has(subtag)) return true
    if (singleton || variant) seen.add(subtag)
    extension ||= singleton
  }
  return false
}
