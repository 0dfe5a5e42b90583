import { Problem } from '../problem.ts'
import { hiddenIn } from './hidden.ts'
import { ours, say } from '../../../shared/say.ts'

/** Characters (code points) that a text may have. */
export interface TextBounds {
  /** 0: it may be missing. */
  readonly min?: number
  readonly max: number
}

/** Texts of games. */
export const gameTexts = {
  name: { min: 1, max: 100 },
  summary: { max: 200 },
  description: { max: 10_000 },
  consent: { max: 4_000 },
  fileText: { max: 300 },
  submission: { max: 2_000 },
  version: { max: 40 },
  buildNotes: { max: 2_000 },
  note: { max: 5_000 },
} as const satisfies Record<string, TextBounds>

/** Texts of studios, and of those who write to them. */
export const studioTexts = {
  name: { min: 1, max: 100 },
  about: { max: 5_000 },
  website: { max: 2_000 },
  senderName: { min: 1, max: 200 },
  message: { min: 1, max: 5_000 },
  /** Why it is suspended. */
  suspended: { max: 1_000 },
} as const satisfies Record<string, TextBounds>

/** What members of a studio call a person. */
export const accountName: TextBounds = { max: 100 }

/** What a school asks parents to agree to. */
export const parentsText: TextBounds = { min: 1, max: 4_000 }

/** Why a studio refuses what a learner asks for. */
export const refusalReason: TextBounds = { min: 1, max: 1_000 }

/** What people call a learner. */
export const learnerName: TextBounds = { min: 1, max: 100 }

/**
 * A text of one line: trimmed, white space as single spaces, no invisible characters, none that turn the text around.
 * @throws Problem at `path`
 */
export function line(value: string, path: string, bounds: TextBounds): string {
  const text = value.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
  const hidden = hiddenIn(text)
  if (hidden !== undefined) throw new Problem(path, say`must not hold invisible characters, such as ${hidden}`)
  return check(text, path, bounds, /[\p{Cc}\p{Cs}\p{Co}]/u)
}

/** A text of several lines: trimmed, every line break as \n. @throws Problem at `path` */
export function paragraphs(value: string, path: string, bounds: TextBounds): string {
  return check(value.replaceAll(/\r\n?/g, '\n').trim(), path, bounds, /(?![\n\t])\p{Cc}/u)
}

function check(text: string, path: string, { min = 0, max }: TextBounds, forbidden: RegExp): string {
  if (forbidden.test(text)) throw new Problem(path, 'must not hold control characters')
  const { length } = Array.from(text)
  // in texts of several lines: zero-width spaces, direction marks
  if (min > 0 && !/[^\p{C}\p{Z}]/u.test(text)) throw new Problem(path, 'must not be empty')
  if (length < min) throw new Problem(path, say`must have ${ours(min)} characters or more`)
  if (length > max)
    throw new Problem(
      path,
      say`must have ${ours(max.toLocaleString('en'))} characters at most, but has ${length.toLocaleString('en')}`,
    )
  return text
}

/** The beginning of a text from outside, as it can be kept: Postgres has no text with U+0000. */
export const excerpt = (text: string, length: number): string =>
  text.slice(0, length).replaceAll('\0', '\ufffd').toWellFormed()
