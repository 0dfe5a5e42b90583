import { StatementService } from '../../../gen/lrs/v1/statements_pb.js'
import { callOf } from '../../process/methods/call.ts'
import { service } from '../../process/methods/declaration.ts'
import { forGames, streamForGames } from '../calls/for-games.ts'
import { hangUpKey, storeStream } from './store-stream.ts'
import { exported, traffic } from '../../process/methods/audit-entries.ts'
import { followed } from './follow.ts'
import { activity, get, person, query } from './read-statements.ts'
import { store } from './store-statements.ts'

/** Statements, and what is known of agents and activities. */
export const statementService = service(StatementService, {
  storeStatements: forGames(store, { audit: traffic }),
  storeStatementsStream: streamForGames(
    (core, messages, context) => storeStream(core, messages, callOf(context), context.values.get(hangUpKey)),
    { audit: traffic },
  ),
  getStatement: forGames(get, { right: 'analyst', token: 'read', audit: exported }),
  queryStatements: forGames(query, { right: 'analyst', token: 'read', audit: exported }),
  follow: streamForGames((core, request, context) => followed(core, request, callOf(context), context.signal), {
    right: 'analyst',
    token: 'read',
    audit: exported,
  }),
  getPerson: forGames(person, { audit: exported }),
  getActivity: forGames(activity, { audit: traffic }),
})
