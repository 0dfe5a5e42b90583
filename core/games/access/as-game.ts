import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import { StaleCaller, type Caller } from '../../records/access/caller.ts'
import type { DocumentScope } from '../../records/access/document-location.ts'
import { gameReader } from './game-reader.ts'

/** A game of a studio. */
export interface OwnGame {
  readonly studio: number
  readonly gameId: string
}

/** Documents that the studio writes for the game. */
export const ofGame: DocumentScope = { kind: 'game-document', activityId: '', agent: '', registration: '' }

/** Runs with the game's credential, once more if it has changed meanwhile. @throws Refusal 'not-found', 'conflict' */
export async function asGame<Result>(
  core: Pick<Core, 'store' | 'authenticator' | 'config'>,
  { studio, gameId }: OwnGame,
  run: (caller: Caller) => Promise<Result>,
): Promise<Result> {
  const find = async (): Promise<Caller> => {
    const caller = await gameReader(core, studio, { gameId, sandbox: false })
    if (caller) return caller
    throw new Refusal('conflict', 'The game has no credential yet: it gets one when a reviewer approves it.')
  }
  const caller = await find()
  try {
    return await run(caller)
  } catch (error) {
    if (!(error instanceof StaleCaller)) throw error
    await core.authenticator.forget(caller)
    return run(await find())
  }
}
