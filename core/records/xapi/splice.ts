import type { Member } from './spans.ts'

/** Replaces text[start..end) by `text`. */
export interface Edit {
  start: number
  end: number
  text: string
}

/** text[start..end) after the edits, in any order; they lie inside and do not overlap. */
export function splice(text: string, start: number, end: number, edits: Edit[]): string {
  let result = ''
  let from = start
  for (const edit of edits.sort((a, b) => a.start - b.start)) {
    result += text.slice(from, edit.start) + edit.text
    from = edit.end
  }
  return result + text.slice(from, end)
}

/** Adds the edits that take the unwanted members out of an object, each with its comma. */
export function drop(list: Member[], unwanted: (member: Member) => boolean, edits: Edit[]): void {
  let kept = false
  for (const [index, member] of list.entries()) {
    if (!unwanted(member)) kept = true
    else if (kept) cut(list[index - 1]!.valueEnd, member.valueEnd, edits)
    else cut(member.keyStart, list[index + 1]?.keyStart ?? member.valueEnd, edits)
  }
}

/** Neighbours are removed together. */
function cut(start: number, end: number, edits: Edit[]): void {
  const last = edits.at(-1)
  if (last?.end === start && last.text === '') last.end = end
  else edits.push({ start, end, text: '' })
}
