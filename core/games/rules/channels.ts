import { Problem } from '../../process/problem.ts'
import { gameTexts, line, paragraphs } from '../../process/rules/text.ts'

/** Where an uploaded build goes: `live` is staged for review, `beta` is for members of the studio, without review. */
export type Channel = 'live' | 'beta'

/** What a studio says of a build when it uploads it. */
export interface BuildWords {
  readonly channel: Channel
  /** Such as a tag; empty: none. */
  readonly version: string
  readonly notes: string
  /** Of the package, in hexadecimal digits; empty: not said. */
  readonly sha256: string
}

export const noWords: BuildWords = { channel: 'live', version: '', notes: '', sha256: '' }

/** @throws Problem */
export function buildWords({ channel, version, notes, sha256 }: BuildWords): BuildWords {
  const digest = sha256.toLowerCase()
  if (!/^([0-9a-f]{64})?$/.test(digest)) throw new Problem('sha256', 'must have 64 hexadecimal digits')
  return {
    channel,
    version: line(version, 'version', gameTexts.version),
    notes: paragraphs(notes, 'notes', gameTexts.buildNotes),
    sha256: digest,
  }
}
