const range = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*|\*)(?:\s*;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i
const mostLanguages = 32
/** Longest range with its weight; RFC 5646 4.4.1 calls 35 characters enough for a tag. */
const longestRange = 100

/** The language ranges of an Accept-Language header (RFC 9110 12.5.4), in lower case, by descending weight. */
export function acceptLanguages(header: string | undefined): string[] {
  const wanted: { tag: string; weight: number }[] = []
  for (const part of (header ?? '').split(',')) {
    const match = part.length <= longestRange ? range.exec(part.trim()) : null
    if (match) wanted.push({ tag: match[1]!.toLowerCase(), weight: Number(match[2] ?? 1) })
  }
  const accepted = wanted.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight)
  return accepted.slice(0, mostLanguages).map(({ tag }) => tag)
}

/** The best entry of a language map (RFC 4647: `en` finds `en-GB`, `de-AT` finds `de`), or the first one. */
export function chooseLanguage<T extends { key: string }>(entries: T[], languages: string[]): T | undefined {
  if (entries.length < 2 || languages.length === 0) return entries[0]
  const tags = entries.map(({ key }) => key.toLowerCase())
  const places = new Map(tags.map((tag, index) => [tag, index]))
  for (const language of languages) {
    if (language === '*') break
    let index = places.get(language) ?? startingWith(tags, `${language}-`)
    for (let tag = shorten(language); index === undefined && tag; tag = shorten(tag)) index = places.get(tag)
    if (index !== undefined) return entries[index]
  }
  return entries[0]
}

function startingWith(tags: string[], prefix: string): number | undefined {
  const index = tags.findIndex((tag) => tag.startsWith(prefix))
  return index < 0 ? undefined : index
}

function shorten(tag: string): string {
  return tag.slice(0, Math.max(0, tag.lastIndexOf('-')))
}
