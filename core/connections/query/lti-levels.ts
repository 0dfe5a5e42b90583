import { isWholeGame } from '../../analytics/rules/attempts.ts'
import type { Store } from '../../store.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Days whose levels are offered, and how many levels. */
const offered = { days: 366, levels: 200 }

/** Levels of a game that learners have begun within a year, as far as they are counted. */
export async function levelsToPick(
  { answers }: Pick<Store, 'answers'>,
  { id, gameId }: { readonly id: number; readonly gameId: string },
): Promise<{ id: string; name: string }[]> {
  const to = Math.floor(Date.now() / dayMs) + 1
  const { levels } = await answers.read(id, { from: to - offered.days, to, parts: new Set(['levels'] as const) })
  return levels
    .filter(({ iri, type, contains }) => !isWholeGame(iri, type, contains, gameId))
    .slice(0, offered.levels)
    .map(({ iri, name }) => ({ id: iri, name: name || iri }))
}
