import { Problem } from '../../process/problem.ts'
import { gameTexts, paragraphs } from '../../process/rules/text.ts'

/** @throws Problem when a rejection has no note */
export function reviewNote(given: string, approved: boolean): string {
  const note = paragraphs(given, 'note', gameTexts.note)
  if (!approved && note === '') throw new Problem('note', 'must say why, so that the studio can fix it')
  return note
}
