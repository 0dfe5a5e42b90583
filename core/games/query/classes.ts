import { setImmediate } from 'node:timers/promises'
import { classResults } from '../../../shared/limits.ts'
import { noClass } from '../access/launch.ts'
import { learnerKeys } from '../../records/access/learner.ts'
import { noGame } from '../../records/access/no-game.ts'
import type { Core } from '../../context.ts'
import type { Class } from '../store/classes.ts'
import type { Invitation } from '../store/invitations.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import { attemptVerbKeys, learnerResult, type LearnerResult } from '../../analytics/rules/learner-result.ts'

export interface ClassLearner {
  readonly invitation: Invitation
  /** `more`: there are more statements than were looked at. */
  readonly result: LearnerResult & { readonly more: boolean }
}

/** Learners of whom one query reads: their statements are parsed at once. */
const atOnce = 5

/** @throws Refusal */
export async function listClasses({ classes }: Store, { studio }: Developer, gameId: string): Promise<Class[]> {
  const found = await classes.list(studio, gameId)
  if (!found) throw noGame()
  return found
}

/** A class, with what its learners did up to now. @throws Refusal */
export async function getClass(
  { store, config, fairQueue }: Pick<Core, 'store' | 'config' | 'fairQueue'>,
  { studio }: Developer,
  gameId: string,
  classId: string,
): Promise<{ of: Class; learners: ClassLearner[] }> {
  const found = await store.classes.get(studio, gameId, classId)
  const tenant = found && (await store.games.tenant(gameId, studio, false))
  if (!found || tenant?.game == null) throw noClass()
  const { game, start } = tenant
  const invitations = found.invitations.toSorted((one, other) => byName.compare(one.learnerName, other.learnerName))
  const learners: ClassLearner[] = []
  for (let at = 0; at < invitations.length; at += atOnce) {
    const some = invitations.slice(at, at + atOnce)
    const asked = some.map(({ learner }) => ({ actor: learnerKeys(learner, config).key, after: 0 }))
    const read = await fairQueue.run(game, () => store.learnerResults.newest(game, asked, { verbs: attemptVerbKeys }))
    for (const [n, invitation] of some.entries()) {
      const statements = read[n]!
      const result = learnerResult(statements, gameId, start)
      const lastSeen = Math.max(result.lastSeen, Math.floor(invitation.lastUsed))
      const more = statements.length >= classResults.statements || statements.some(({ cut }) => cut)
      learners.push({ invitation, result: { ...result, lastSeen, more } })
      await setImmediate()
    }
  }
  return { of: found.of, learners }
}

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
