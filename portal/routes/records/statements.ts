import type { Router } from 'express'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { followFilter } from '../../../shared/statement-filters.ts'
import { endless } from '../../web/core-client.ts'
import { PageFailure } from '../../web/failure.ts'
import type { DataView } from '../../pages/parts/data-view.ts'
import { lastDays, ranges } from '../../pages/parts/data-filters.ts'
import { sessionGroups } from '../../pages/records/session-groups.ts'
import type { Named } from '../../pages/parts/suggestions.ts'
import type { StatementJson, Telling } from '../../pages/records/statement.ts'
import { statementPage, statementsPage, tellingOf, type FoundStatements } from '../../pages/records/statements.ts'
import { routes } from '../../web/routes.ts'
import { refused, uuid, type Portal, type Visit } from '../../web/visit.ts'
import { filterOf } from './statement-filter.ts'
import { isVerbName } from './verb-filter.ts'
import { viewOf } from '../parts/data-view.ts'

const pageSize = 25

/** The statements of a game: a list with filters, a page for each, and a stream of new ones. */
export const statements = (portal: Portal): Router =>
  routes(portal)
    .signedIn('GET /games/:id/statements', async (visit) => {
      const { game, client, view } = await openData(visit)
      if (!client) return statementsPage(visit, game, view, undefined)
      const named = await namedIn(visit, view)
      const { verbs } = named
      try {
        const { json, next, consistentThrough } = await client.queryStatements({
          ...filterOf(visit, verbs),
          limit: pageSize,
          ascending: visit.query('order') === 'oldest',
          offset: visit.query('offset'),
        })
        const found: FoundStatements = {
          json: json.map(text),
          next,
          through: isoTime(consistentThrough),
          sessions: await sessionsOf(visit, view, json.map(text)),
        }
        return statementsPage(visit, game, view, found, named)
      } catch (error) {
        return statementsPage(visit, game, view, undefined, { ...named, failure: refused(visit, error) })
      }
    })
    .signedIn('GET /games/:id/statements/live', async (visit) => {
      const { game, client, view } = await openData(visit)
      if (!client)
        throw new PageFailure(Reason.NOT_FOUND, 'The game has no credential yet, so it has no statements to follow.')
      const telling = tellingOf(visit, game, view)
      const verbs = isVerbName(visit.query('verb')) ? (await namedIn(visit, view)).verbs : []
      const filter = followFilter(filterOf(visit, verbs))
      const since = visit.request.get('last-event-id') ?? visit.query('after')
      const start = since === '' ? { case: 'fromNow' as const, value: true } : { case: 'since' as const, value: since }
      await portal.live.push(
        visit,
        // core checks the session and the credential again while it sends
        (signal) => client.follow({ ...filter, start }, { signal, ...endless }),
        ({ json }) => json.map((bytes) => eventOf(text(bytes), telling)),
      )
    })
    .signedIn('GET /games/:id/statements/:statement', async (visit) => {
      const { game, view, json } = await oneStatement(visit)
      return statementPage(visit, game, view, json)
    })
    .signedIn('GET /games/:id/statements/:statement/json', async (visit) => {
      const { json } = await oneStatement(visit)
      visit.response
        .set('Content-Disposition', `attachment; filename="${uuid(visit, 'statement')}.json"`)
        .type('application/json')
        .send(json)
    })

/** The whole sessions of these statements; none if core does not answer. */
export async function sessionsOf(visit: Visit, { sandbox }: DataView, json: readonly string[]) {
  const of = json.map((one) => (JSON.parse(one) as StatementJson).context?.registration)
  const registrations = [...new Set(of.filter((one) => one !== undefined))]
  if (registrations.length === 0) return []
  const found = await visit.core.learners
    .listLearnerSessions({ gameId: uuid(visit), sandbox, registrations })
    .catch(() => undefined)
  return found?.sessions ?? []
}

/** The time of storing is the place in the order from which the browser continues. */
const eventOf = (json: string, telling: Telling) => ({
  id: (JSON.parse(json) as { stored: string }).stored,
  data: sessionGroups([json], telling)[0]!.text,
})

/** The game of the address, with a client that reads its statements; undefined: it has no credential yet. */
async function openData(visit: Visit) {
  const view = viewOf(visit)
  // core returned the game to this visitor, so its key belongs to one of their games
  const { game } = await visit.core.games.getGame({ gameId: uuid(visit) })
  const { credential, sandboxKey } = game as Game
  const key = view.sandbox ? sandboxKey : (credential?.key ?? '')
  return { game: game as Game, view, client: key === '' ? undefined : visit.core.onBehalf(key) }
}

async function oneStatement(visit: Visit) {
  const statementId = uuid(visit, 'statement')
  const { game, view, client } = await openData(visit)
  if (!client) throw new PageFailure(Reason.NOT_FOUND, 'There is no statement with this id.')
  const { json } = await client
    .getStatement({ statementId })
    .catch(() => client.getStatement({ voidedStatementId: statementId }))
  return { game, view, json: text(json) }
}

/** Verbs and activities of the last days, as suggestions. If core does not answer, the fields have none. */
export async function namedIn(visit: Visit, { sandbox }: Pick<DataView, 'sandbox'>): Promise<Named> {
  const insights = await visit.core.insights
    .getInsights({ gameId: uuid(visit), ...lastDays(ranges.at(-1)!), sandbox })
    .catch(() => undefined)
  return { verbs: insights?.verbs ?? [], activities: insights?.activities ?? [] }
}

/** Microseconds as ISO 8601. */
const isoTime = (stored: bigint): string =>
  `${new Date(Number(stored / 1000n)).toISOString().slice(0, -1)}${String(stored % 1000n).padStart(3, '0')}Z`

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')
