const mostWords = 20
const longest = 64

/** The words of a text as they are searched by: without case and accents, each once, 20 at most. */
export function wordsOf(text: string): string[] {
  const plain = text
    .slice(0, 2_000)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words.map((word) => word.slice(0, longest)))].slice(0, mostWords)
}
