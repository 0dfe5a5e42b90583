import type { Member } from './spans.ts'

/** `text` stands where text[start..end) stood before; all the rest stays as it is. */
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
    else if (kept) edits.push({ start: list[index - 1]!.valueEnd, end: member.valueEnd, text: '' })
    else edits.push({ start: member.keyStart, end: list[index + 1]?.keyStart ?? member.valueEnd, text: '' })
  }
}
