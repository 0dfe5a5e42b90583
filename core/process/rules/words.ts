const longest = 64

/** The words of a text as they are searched by: without case and accents, each once. @param most that are looked at */
export function wordsOf(text: string, { characters = 2_000, words: most = 20 } = {}): string[] {
  const plain = text
    .slice(0, characters)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words.map((word) => word.slice(0, longest)))].slice(0, most)
}
