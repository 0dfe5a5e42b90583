import type { Router } from 'express'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type { Launch, ObserveResponse, SandboxEvent } from '../../../gen/lrs/v1/launches_pb.js'
import { endless } from '../../web/core-client.ts'
import { languagesIn } from '../../pages/parts/describe.ts'
import { ifFound, sendLaunch } from '../parts/launch.ts'
import type { Html } from '../../web/html.ts'
import { sandboxEvent, type SandboxView } from '../../pages/games/play/sandbox-event.ts'
import {
  countsInWords,
  newLearner,
  onOwnMachine,
  sandboxPage,
  sessionOver,
  sessionPage,
  type Counts,
  type EventsSoFar,
} from '../../pages/games/play/sandbox.ts'
import { routes } from '../../web/routes.ts'
import { uuid, type Portal, type Visit, type WithAccount } from '../../web/visit.ts'
import { gameOf } from '../parts/game-of.ts'

/** A page starts with the latest calls, up to this many characters. Earlier calls are counted, but not shown. */
const mostShown = 60_000

/** Sessions in which studios try their games. */
export const sandbox = (portal: Portal): Router =>
  routes(portal)
    .tester('GET /games/:id/sandbox', async (visit) =>
      sandboxPage(visit, await gameOf(visit), await learnersOf(visit), { values: visit.query }),
    )
    .tester(
      'POST /games/:id/sandbox',
      async (visit) => {
        const gameId = uuid(visit)
        const { form } = visit
        const { launch } = await visit.core.launches.openSandbox({
          gameId,
          learnerId: form('learner_id') === newLearner ? '' : form('learner_id'),
          learnerName: form('learner_name'),
          live: form('build') === 'live',
          beta: form('build') === 'beta',
          ownMachine: form('build') === onOwnMachine,
        })
        return `/games/${gameId}/sandbox/${launch!.sessionId}`
      },
      async (visit, sent) =>
        sandboxPage(visit, await gameOf(visit), await learnersOf(visit), {
          failure: sent.failure,
          values: visit.form,
        }),
    )
    .tester('GET /games/:id/sandbox/:session', async (visit) => {
      const game = await gameOf(visit)
      const launch = await sessionOf(visit)
      if (!launch) {
        visit.response.status(404)
        return sessionOver(visit, game)
      }
      return sessionPage(visit, game, launch, await eventsSoFar(visit, launch, viewOf(visit, game, launch)))
    })
    .tester('GET /games/:id/sandbox/:session/launch.json', async (visit) => {
      sendLaunch(visit, await sessionOf(visit))
    })
    .tester('GET /games/:id/sandbox/:session/events', async (visit) => {
      const launch = await sessionOf(visit)
      // 204 tells an EventSource not to connect again
      if (!launch) return void visit.response.status(204).end()
      await stream(portal, visit, launch, viewOf(visit, await gameOf(visit), launch))
    })

const learnersOf = async (visit: Visit) =>
  (await visit.core.launches.listTestLearners({ gameId: uuid(visit) })).learners

/** Undefined: the session has ended, or is another game's. */
async function sessionOf(visit: Visit): Promise<Launch | undefined> {
  const found = await ifFound(visit.core.launches.getSandbox({ sessionId: uuid(visit, 'session') }))
  return found?.launch?.gameId === uuid(visit) ? found.launch : undefined
}

const viewOf = ({ request }: Visit, game: Game, launch: Launch): SandboxView => ({
  learner: launch.learnerName,
  languages: languagesIn(request.get('accept-language') ?? ''),
  game: game.summary!,
})

async function eventsSoFar(visit: Visit, { sessionId }: Launch, view: SandboxView): Promise<EventsSoFar> {
  let counts = { requests: 0, statements: 0, rejected: 0 }
  const recent: SandboxEvent[] = []
  for await (const { events, kept } of visit.core.launches.observe({ sessionId, noFollow: true })) {
    counts = kept ?? counts
    recent.push(...events)
  }
  const latest: Html[] = []
  let length = 0
  // two cores number their events as they write them, so a later number can be an earlier event
  for (const event of recent.toSorted((a, b) => Number(b.at - a.at || b.number - a.number))) {
    const shown = sandboxEvent(event, view)
    length += shown.text.length
    if (length > mostShown && latest.length > 0) break
    latest.unshift(shown)
  }
  return { latest, last: recent.at(-1)?.number ?? 0n, counts }
}

/** What happens from now on, as server-sent events, until the session or the visit ends. */
async function stream({ live }: Portal, visit: WithAccount, { sessionId }: Launch, view: SandboxView): Promise<void> {
  const last = Number(visit.request.get('last-event-id') ?? visit.query('after'))
  const after = BigInt(Number.isSafeInteger(last) && last > 0 ? last : 0)
  let counts: Counts = { requests: 0, statements: 0, rejected: 0 }
  function* eventsOf({ events, kept }: ObserveResponse) {
    counts = kept ?? counts
    for (const event of events) {
      // `kept` includes the events of its message
      if (!kept) counts = plus(counts, event)
      yield {
        id: event.number,
        data: {
          html: sandboxEvent(event, view).text,
          counts: countsInWords(counts).text,
          news: newsOf(event),
        },
      }
    }
  }
  await live.push(
    visit,
    (signal) => visit.core.launches.observe({ sessionId, after }, { signal, ...endless }),
    eventsOf,
  )
}

function newsOf({ rejected, message, warnings: [warning] }: SandboxEvent): string {
  if (rejected) return `Rejected: ${message}`
  return warning ? `Warning: ${warning.text}` : ''
}

const plus = (counts: Counts, { statements, rejected }: SandboxEvent): Counts => ({
  requests: counts.requests + 1,
  statements: counts.statements + statements,
  rejected: counts.rejected + Number(rejected),
})
