import { DeletionService, type DoomedStatements } from '../../../gen/lrs/v1/deletions_pb.js'
import { deletions as limits } from '../../../shared/limits.ts'
import type { Core } from '../../context.ts'
import { gameReader } from '../../games/access/game-reader.ts'
import { reads } from '../../process/methods/audit-entries.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { developer, isAdmin, studioOf } from '../../process/methods/developer.ts'
import { Problem } from '../../process/problem.ts'
import { Refusal } from '../../process/refusal.ts'
import { noGame } from '../../records/access/no-game.ts'
import { placeParameter, uuidParameter } from '../../records/xapi/parameters.ts'
import { pseudonymKey } from '../command/pseudonym-key.ts'
import { startDeletion } from '../command/delete-statements.ts'
import { asSent, findDoomed, namesOf } from '../query/doomed-statements.ts'
import { filtersOf } from './export-form.ts'

/** Deletions of statements that were sent by mistake. */
export const deletionService = service(DeletionService, {
  previewDeletion: method({ right: 'owner', audit: reads }, async (core, { of }, context) => {
    const { statements, voided, through } = await find(core, await studioOf(core, context), of, 0n)
    const places = statements.map(({ stored }) => stored).toSorted((one, other) => one - other)
    const seconds = (micros = 0) => micros / 1e6
    return { statements: places.length, voided, first: seconds(places[0]), last: seconds(places.at(-1)), through }
  }),
  startDeletion: method(
    {
      right: 'owner',
      audit: {
        action: 'statements.delete',
        subject: ({ of }) => of && { kind: 'game', id: of.gameId },
        details: ({ of, statements }, done) => ({
          deletion: done?.deletionId,
          statements,
          filters: namesOf(filtersOf(of?.filters)).join(' ') || undefined,
          ids: of?.ids.length || undefined,
          sandbox: of?.sandbox || undefined,
        }),
      },
    },
    async (core, { of, through, statements: expected, reason }, context) => {
      const { studio, accountId } = isAdmin(core, context) ? {} : await developer(core, context)
      const { game, statements } = await find(core, studio, of, through)
      return { deletionId: await startDeletion(core.store, { game, accountId, reason, statements }, expected) }
    },
  ),
  listDeletions: method({ right: 'owner', audit: reads }, async (core, { gameId }, context) => {
    if (!(await core.store.games.tenant(gameId, await studioOf(core, context), false))) throw noGame()
    return { deletions: await core.store.deletions.list(gameId) }
  }),
  listDeletedIds: method({ right: 'owner', audit: reads }, async function* (core, { deletionId, forwardId }, context) {
    const forward = uuidParameter(forwardId, 'forwardId')
    const found = await core.store.deletions.ids(deletionId, await studioOf(core, context), forward)
    if (!found) throw new Refusal('not-found', 'There is no such deletion, or this forward has sent nothing of it.')
    const ids = found.pseudonyms ? asSent(found.ids, await pseudonymKey(core, found.gameId)) : found.ids
    for (let at = 0; at < ids.length; at += limits.listed) yield { ids: ids.slice(at, at + limits.listed) }
  }),
})

/** @param studio must own the game; undefined: any game @param through 0: all that are stored by now */
async function find(core: Core, studio: number | undefined, of: DoomedStatements | undefined, through: bigint) {
  if (!of) throw new Problem('of', 'is missing')
  const ids = of.ids.map((id) => uuidParameter(id, 'ids')!)
  const doomed = { filters: filtersOf(of.filters), ids, through: placeParameter(through, 'through') }
  return core.chartQueue.run(studio ?? 'admins', () => findDoomed(core, () => gameReader(core, studio, of), doomed))
}
