import type { Core } from '../../context.ts'
import { getDocument, listDocuments } from '../../records/query/documents.ts'
import { asGame, ofGame, type OwnGame } from '../access/as-game.ts'

type Needs = Pick<Core, 'store' | 'authenticator' | 'config'>

/** Ids and times of the documents that a studio wrote for its game. */
export const listGameDocuments = (core: Needs, game: OwnGame) =>
  asGame(core, game, (caller) => listDocuments(core.store, caller, ofGame, ''))

/** One of them, byte for byte. @throws Problem, Refusal 'not-found' */
export const getGameDocument = (core: Needs, game: OwnGame, id: string) =>
  asGame(core, game, (caller) => getDocument(core.store, caller, ofGame, id, true))
