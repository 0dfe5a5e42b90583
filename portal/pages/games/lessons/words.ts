import type { BoardLevel, GetBoardResponse } from '../../../../gen/lrs/v1/lesson_results_pb.js'
import { describe } from '../../parts/describe.ts'
import type { Visit } from '../../../web/visit.ts'

/** What a name of the game is called in the language of the visitor. */
export const nameOf = (
  { say }: Pick<Visit, 'say'>,
  { activityId, name }: Pick<BoardLevel, 'activityId' | 'name'>,
): string => {
  const definition = name === '' ? {} : { name: JSON.parse(name) as object }
  return describe({ object: { id: activityId, definition } }, [say.language], undefined, say).what
}

/** Pupils that are named as stuck, those who are it for longest. */
const mostNamed = 6

/** Who waits, who is here and who is stuck, as sentences. */
export function inWords(visit: Pick<Visit, 'say'>, { waiting, pupils, levels }: GetBoardResponse): string {
  const { say } = visit
  const stuck = pupils
    .filter(({ stuckAt }) => stuckAt !== undefined)
    .toSorted((one, other) => other.stuckSeconds - one.stuckSeconds)
  const named = stuck
    .slice(0, mostNamed)
    .map(({ name, stuckAt }) => say.text('lesson.stuckOne', { name, level: nameOf(visit, levels[stuckAt!]!) }))
  return say.text('lesson.words', {
    waiting: waiting.filter(({ letIn }) => !letIn).length,
    naming: waiting.filter(({ letIn }) => letIn).length,
    here: pupils.filter(({ here }) => here).length,
    stuck: stuck.length,
    list: new Intl.ListFormat(say.language).format(stuck.length > mostNamed ? [...named, '…'] : named),
  })
}

/** A code in two groups. */
export const inGroups = (code: string): string => code.replace(/^(\d{3})(\d{3})$/, '$1 $2')

/** Where pupils type the code. */
export const joinAddress = ({ at }: Pick<Visit, 'at'>): string => `${at.portal}/join`
export const shortened = (address: string): string => address.replace(/^https?:\/\//, '')
