interface Known {
  readonly name: string
  /** Null: it has not chosen one yet. */
  readonly picture: number | null
}

/** Names that a child types in different ways have the same key: without case, accents, spaces and signs. */
export function nameKey(name: string): string {
  const letters = name
    .toUpperCase()
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
  return letters === '' ? name.trim() : letters.toUpperCase()
}

/** Who has this name and picture; `unknown`: nobody has the name; `wrong`: somebody has it with another picture. */
export function whoIs<Pupil extends Known>(
  pupils: readonly Pupil[],
  name: string,
  picture: number,
): Pupil | 'unknown' | 'wrong' {
  const key = nameKey(name)
  const exact = pupils.filter((one) => one.name.trim() === name.trim())
  // signs of some scripts carry the vowels: a name as it is written comes first
  const same = exact.length > 0 ? exact : pupils.filter((one) => nameKey(one.name) === key)
  const found = same.find((one) => one.picture === picture) ?? same.find((one) => one.picture === null)
  return found ?? (same.length > 0 ? 'wrong' : 'unknown')
}
