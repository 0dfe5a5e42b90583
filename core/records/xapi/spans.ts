/** A part of a text: the index of its first UTF-16 unit, and the index after its last one. */
export interface Span {
  start: number
  end: number
}

/** A member of an object: its decoded key, and the spans of key and value in the text. */
export interface Member {
  key: string
  keyStart: number
  valueStart: number
  valueEnd: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Index of the quote that ends the string which starts at text[start]. */
export function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1)
  return text.charCodeAt(end - 1) === BACKSLASH ? endOfEscaped(text, start + 1) : end
}

/** The same by character: a search for each of a million escaped quotes would take ten times as long. */
function endOfEscaped(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return -1
}

/** The decoded value of the string literal text[start..end). */
export function stringOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1)
  return raw.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : raw
}

/** The members of the object at text[start], after white space. `text` is valid JSON. */
export function members(text: string, start = 0): Member[] {
  const found: Member[] = []
  let at = skipSpace(text, skipSpace(text, start) + 1)
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = endOfString(text, at) + 1
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const valueEnd = endOfValue(text, valueStart)
    found.push({ key: stringOf(text, at, keyEnd), keyStart: at, valueStart, valueEnd })
    at = skipSpace(text, skipSpace(text, valueEnd) + 1)
  }
  return found
}

/** The elements of the array at text[start], after white space. `text` is valid JSON. */
export function elements(text: string, start = 0): Span[] {
  const found: Span[] = []
  let at = skipSpace(text, skipSpace(text, start) + 1)
  if (text.charCodeAt(at) === CLOSE_ARRAY) return found
  for (;;) {
    const end = endOfValue(text, at)
    found.push({ start: at, end })
    const next = skipSpace(text, end)
    if (text.charCodeAt(next) !== COMMA) return found
    at = skipSpace(text, next + 1)
  }
}

/** The id of a stored statement. */
export function idOf(text: string): string {
  const id = members(text).find(({ key }) => key === 'id')!
  return stringOf(text, id.valueStart, id.valueEnd)
}

export function skipSpace(text: string, at: number): number {
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
    at++
  }
}

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return endOfString(text, start) + 1
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return endOfContainer(text, start)
  return endOfScalar(text, start)
}

function endOfContainer(text: string, start: number): number {
  let depth = 0
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++
    else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && --depth === 0) return at + 1
  }
}

/** Index after the number, true, false or null at text[start]. */
export function endOfScalar(text: string, start: number): number {
  let at = start
  while (at < text.length && !endsScalar(text.charCodeAt(at))) at++
  return at
}

function endsScalar(code: number): boolean {
  return code === COMMA || code === CLOSE_OBJECT || code === CLOSE_ARRAY || code <= 0x20
}

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
