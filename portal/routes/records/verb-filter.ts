import type { InsightVerb } from '../../../gen/lrs/v1/insights_pb.js'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { PageFailure } from '../../web/failure.ts'

const adl = 'http://adlnet.gov/expapi/verbs/'
/** The verbs of ADL, by the ends of their IRIs. */
const known = new Set(
  (
    'answered asked attempted attended commented completed created exited experienced failed imported initialized ' +
    'interacted launched logged-in logged-out mastered passed preferred progressed registered responded resumed ' +
    'scored shared suspended terminated voided'
  ).split(' '),
)

/** Whether it takes a look at the game's verbs to know which one is meant. */
export const isVerbName = (text: string): boolean => text.trim() !== '' && !text.includes(':')

/** The IRI of a verb, from its IRI, from the name of a verb of the game, or from a name of ADL's verbs. @throws PageFailure */
export function verbIn(text: string, verbs: readonly InsightVerb[]): string {
  const typed = text.trim()
  if (!isVerbName(typed)) return typed
  const wanted = typed.toLowerCase()
  const named =
    verbs.find(({ name }) => name.toLowerCase() === wanted) ??
    verbs.find(({ verbId }) => verbId.toLowerCase().split(/[/#]/).at(-1) === wanted)
  if (named) return named.verbId
  const end = wanted.replaceAll(' ', '-')
  if (known.has(end)) return adl + end
  throw new PageFailure(
    Reason.INVALID,
    `No verb of this game is called “${typed.slice(0, 60)}”. Enter a name such as completed or an IRI such as ${adl}completed`,
    { path: 'verb' },
  )
}
