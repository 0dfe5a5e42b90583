import type { SandboxWarning } from '../../games/store/sandbox-events.ts'
import type { Store } from '../../store.ts'
import { playWarnings } from '../rules/play-warnings.ts'
import type { Key } from '../../records/xapi/identify.ts'

/** Statements that a request of a sandbox session stored. */
export interface Played {
  /** Of the sandbox. */
  readonly game: number
  /** The session's learner. */
  readonly actor: Key
  readonly ids: readonly string[]
}

/** Warnings of one request. */
const mostWarnings = 20

/**
 * What may be wrong with the statements of some requests of one session. It is read from what is stored, so it does not
 * matter which core took which request.
 */
export async function warnOfPlays(
  { sandboxEvents, plays }: Pick<Store, 'sandboxEvents' | 'plays'>,
  session: string,
  requests: readonly Played[],
): Promise<SandboxWarning[][]> {
  const [first] = requests
  if (!first) return []
  const began = await sandboxEvents.began(session)
  if (began === undefined) return requests.map(() => [])
  const found = await plays.sessionPlays(first.game, first.actor, began)
  const warnings = playWarnings(
    found.plays.map(({ statement }) => statement),
    found.isWhole,
  )
  const byId = new Map(found.plays.map(({ id }, n) => [id, warnings[n]!]))
  return requests.map(({ ids }) =>
    ids.flatMap((id, statement) => (byId.get(id) ?? []).map((one) => ({ statement, ...one }))).slice(0, mostWarnings),
  )
}
