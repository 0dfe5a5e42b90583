import { expect } from 'vitest'
import type { Deletion } from '../../gen/lrs/v1/deletions_pb.js'
import type { Game } from '../support/games.ts'
import type { Json } from '../support/statements.ts'
import type { System } from '../support/system.ts'

export const store = async (game: Game, list: Json[], core = 0): Promise<string[]> =>
  (await game.rpc(core).statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })).ids

export const idsOf = (list: readonly { id: string }[]): string[] => list.map(({ id }) => id)

/** Ids of what the game has, in order. */
export async function kept(game: Game): Promise<string[]> {
  const ids: string[] = []
  for (let offset = ''; ;) {
    const page = await game.rpc().statements.queryStatements({ limit: 500, ascending: true, offset })
    ids.push(...page.json.map((one) => JSON.parse(Buffer.from(one).toString()).id))
    if ((offset = page.next) === '') return ids
  }
}

type Which = { filters?: object; ids?: string[]; sandbox?: boolean }

/** Asks for a deletion, as a preview gave it. */
export async function begin({ admin }: System, { id: gameId }: Pick<Game, 'id'>, which: Which, reason = 'a mistake') {
  const of = { gameId, ...which }
  const found = await admin.deletions.previewDeletion({ of })
  const { through, statements } = found
  const { deletionId } = await admin.deletions.startDeletion({ of, through, statements, reason })
  return { found, deletion: { gameId, deletionId } }
}

/** The receipt, once it has ended. */
export async function receipt(
  { admin }: System,
  { gameId, deletionId }: { gameId: string; deletionId: string },
): Promise<Deletion> {
  let found: Deletion | undefined
  const look = async () => {
    const { deletions } = await admin.deletions.listDeletions({ gameId })
    found = deletions.find((one) => one.deletionId === deletionId)
    return found!.ended > 0n
  }
  await expect.poll(look, { timeout: 200_000, interval: 50 }).toBe(true)
  return found!
}

/** The ids that a deletion has removed, or that a forward may have sent. */
export async function deletedIds({ admin }: System, deletionId: string, forwardId = ''): Promise<string[]> {
  const all: string[] = []
  for await (const { ids } of admin.deletions.listDeletedIds({ deletionId, forwardId })) all.push(...ids)
  return all
}

/** Deletes, and returns what the preview and the receipt say. */
export async function remove(system: System, game: Pick<Game, 'id'>, which: Which) {
  const { found, deletion } = await begin(system, game, which)
  return { found, receipt: await receipt(system, deletion) }
}
