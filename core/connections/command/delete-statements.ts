import { ours, say } from '../../../shared/say.ts'
import { retention } from '../../../shared/limits.ts'
import { Problem } from '../../process/problem.ts'
import { Refusal } from '../../process/refusal.ts'
import { removeInSteps } from '../../records/command/remove-in-steps.ts'
import { dayNumber, monthsBefore } from '../../records/rules/kept-months.ts'
import type { Store } from '../../store.ts'
import type { LeasedDeletion, NewDeletion } from '../store/deletions.ts'

/**
 * Asks for a deletion. It begins within seconds.
 * @param expected the number that its owner has seen
 * @returns its id
 * @throws Problem, Refusal 'conflict'
 */
export async function startDeletion(
  { deletions }: Pick<Store, 'deletions'>,
  asked: NewDeletion,
  expected: number,
): Promise<string> {
  const reason = asked.reason.trim()
  if (reason === '') throw new Problem('reason', 'must say why, for the receipt')
  const { length } = asked.statements
  if (length === 0) throw new Refusal('conflict', 'No statement is found: there is nothing to delete.')
  if (length !== expected)
    throw new Refusal(
      'conflict',
      say`These are ${ours(length)} statements by now, not ${ours(expected)}: look at them once more.`,
    )
  const deletionId = await deletions.add({ ...asked, reason })
  if (deletionId !== undefined) return deletionId
  throw new Refusal('conflict', 'Another deletion is under way in this game. Wait until it has ended.')
}

/**
 * Removes what a deletion names; goes on where another core was interrupted.
 * @param signal ends it between two steps
 */
export async function runDeletion(
  { deletions, expiry, forwards, transaction }: Pick<Store, 'deletions' | 'expiry' | 'forwards' | 'transaction'>,
  deletion: LeasedDeletion,
  signal: AbortSignal,
): Promise<void> {
  const { deletionId, game } = deletion
  const until = dayNumber(monthsBefore(Date.now(), -retention.idMonths) / 1_000)
  const all = deletion.places.map(Number)
  let at = 0
  await removeInSteps(async (limit) => {
    const places = all.slice(at, at + limit)
    const step = await expiry.step(deletionId, game, { places }, limit, until)
    if (step === 'busy') return step
    if (!step.isCut) at += places.length
    return { ...step, removed: places.length }
  }, signal)
  await expiry.recountBytes(game)
  const { statements } = await expiry.counted(deletionId, game, false)
  const isMine = await transaction(async (run) => {
    if (!(await deletions.end(run, deletion, statements))) return false
    await forwards.deleted(run, game, deletion.id, all)
    return true
  })
  if (isMine) await expiry.finish(deletionId, game, false)
}
