import { Router } from 'express'
import type { Game } from '../../gen/lrs/v1/games_pb.js'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { PageFailure } from '../failure.ts'
import { followers } from '../follow-statements.ts'
import { learnerIn, statementItem } from '../pages/statement.ts'
import { statementPage, statementsPage, tellingOf, type FoundStatements } from '../pages/statements.ts'
import { refused, signedIn, uuid, type Portal, type Visit } from '../visit.ts'
import { viewOf } from './data.ts'

const pageSize = 25

/** The statements of a game: a list with filters, each one by itself, and those that arrive just now. */
export function statements(portal: Portal): Router {
  const follow = followers(portal.log)
  return Router()
    .get('/games/:id/statements', signedIn(portal, async (visit) => {
      const { game, client, view } = await openData(visit)
      if (!client) return statementsPage(visit, game, view, undefined)
      try {
        const { json, next, consistentThrough } = await client.queryStatements({ ...filterOf(visit), limit: pageSize, ascending: visit.query('order') === 'oldest', offset: visit.query('offset') })
        const found: FoundStatements = { json: json.map(text), next, through: isoTime(consistentThrough) }
        return statementsPage(visit, game, view, found)
      } catch (error) {
        return statementsPage(visit, game, view, undefined, refused(visit, error))
      }
    }))
    .get('/games/:id/statements/live', signedIn(portal, async (visit) => {
      const { game, client, view } = await openData(visit)
      if (!client) throw new PageFailure(Reason.NOT_FOUND, 'There are no statements to wait for.')
      const telling = tellingOf(visit, game, view)
      follow(visit, {
        since: visit.request.get('last-event-id') ?? visit.query('after'),
        read: (since) => client.queryStatements({ ...filterOf(visit), since, limit: 50, ascending: true }),
        show: (json) => statementItem(json, telling).text,
        isAllowed: () => openData(visit).then(({ client }) => client !== undefined, () => false),
      })
    }))
    .get('/games/:id/statements/:statement', signedIn(portal, async (visit) => {
      const { game, view, json } = await oneStatement(visit)
      return statementPage(visit, game, view, json)
    }))
    .get('/games/:id/statements/:statement/json', signedIn(portal, async (visit) => {
      const { json } = await oneStatement(visit)
      visit.response.set('Content-Disposition', `attachment; filename="${uuid(visit, 'statement')}.json"`).type('application/json').send(json)
    }))
}

/** The game of the address with what reads its statements; no client: it has no credential yet. */
async function openData(visit: Visit) {
  const view = viewOf(visit)
  // the key comes from a game that core gave to this visitor, so it is that of a game of theirs
  const { game } = await visit.core.games.getGame({ gameId: uuid(visit) })
  const { credential, sandboxKey } = game as Game
  const key = view.sandbox ? sandboxKey : (credential?.key ?? '')
  return { game: game as Game, view, client: key === '' ? undefined : visit.core.onBehalf(key) }
}

async function oneStatement(visit: Visit) {
  const statementId = uuid(visit, 'statement')
  const { game, view, client } = await openData(visit)
  if (!client) throw new PageFailure(Reason.NOT_FOUND, 'There is no statement with this id.')
  const { json } = await client.getStatement({ statementId }).catch(() => client.getStatement({ voidedStatementId: statementId }))
  return { game, view, json: text(json) }
}

/** The filters of the address, as core takes them: days are whole ones. */
function filterOf({ query }: Visit) {
  const [since, until] = [query('since'), query('until')]
  const agent = learnerIn(query('agent'))
  if (agent === undefined) {
    throw new PageFailure(Reason.INVALID, 'Name the learner by an account as name @ home page, an e-mail address, an OpenID, or JSON of an agent', { path: 'agent' })
  }
  const isDay = (value: string) => /^\d{4}-\d\d-\d\d$/.test(value)
  return {
    agent, verb: query('verb').trim(), activity: query('activity').trim(), registration: query('registration').trim(),
    since: isDay(since) ? `${since}T00:00:00Z` : since, until: isDay(until) ? `${until}T23:59:59.999999Z` : until,
  }
}

/** Microseconds as ISO 8601. */
const isoTime = (stored: bigint): string => `${new Date(Number(stored / 1000n)).toISOString().slice(0, -1)}${String(stored % 1000n).padStart(3, '0')}Z`

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')
