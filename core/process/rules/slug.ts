const longest = 60

/** The slug of a name: `blue-fox-sohne` for `Blue Fox & Söhne`; `otherwise` without Latin letters and digits. */
export function slugOf(name: string, otherwise: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
  const slug = plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replaceAll(/^-+|-+$/g, '')
  return slug === '' ? otherwise : slug
}

/** The slug itself, or with the first number that makes it free: `chess-2`. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug
  for (let number = 2; ; number++) if (!taken.has(`${slug}-${number}`)) return `${slug}-${number}`
}
