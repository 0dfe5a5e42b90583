import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { Forward, GetForwardResponse } from '../../../gen/lrs/v1/forwards_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { PageFailure } from '../../web/failure.ts'
import { credentialIn, ofFields, settingsIn, sinceIn } from './forward-input.ts'
import type { Html } from '../../web/html.ts'
import { forwardsPage } from '../../pages/connections/operator-forwards.ts'
import { connectionsPage } from '../../pages/connections/connections.ts'
import { forwardPage, removeForwardPage } from '../../pages/connections/forward.ts'
import { changeForwardPage, newForwardPage, type Filling } from '../../pages/connections/forward-form.ts'
import { routes } from '../../web/routes.ts'
import { notice, refused, uuid, type Portal, type Visit } from '../../web/visit.ts'
import { isVerbName } from '../records/verb-filter.ts'
import { gameOf } from '../parts/game-of.ts'
import { namedIn } from '../records/statements.ts'

/** Notices by the parameter `done` of the address. */
const done: Readonly<Record<string, string>> = {
  added: 'The forward is added. It begins to send within a minute.',
  changed: 'Changed.',
  paused: 'Paused.',
  resumed: 'Resumed.',
  again: 'It goes back to that time, and sends again from there on.',
  retried: 'They are sent with the next batches.',
  removed: 'Removed.',
}

/** A target answers within this time, or its test has failed. */
const testing = { timeoutMs: 60_000 }

/** The other systems that get what a game stores. */
export function connections(portal: Portal): Router {
  return routes(portal)
    .operator('GET /operator/forwards', async (visit) =>
      forwardsPage(visit, await visit.core.operator.findForwards({ find: visit.query('find') })),
    )
    .signedIn('GET /games/:id/connections', async (visit) => {
      const [game, { forwards }, { webhooks }] = await Promise.all([
        gameOf(visit),
        visit.core.forwards.listForwards({ gameId: uuid(visit) }),
        visit.core.webhooks.listWebhooks({ gameId: uuid(visit) }),
      ])
      return connectionsPage(visit, game, { forwards, webhooks, done: notice(visit, done) })
    })
    .developer('GET /games/:id/connections/forwards/new', (visit) => adding(visit))
    .developer(
      'POST /games/:id/connections/forwards',
      async (visit) => {
        const { forward } = await visit.core.forwards.addForward({
          gameId: uuid(visit),
          settings: await settingsOf(visit),
          credential: credentialIn(visit.form),
          since: sinceIn(visit.form),
        })
        return `/games/${uuid(visit)}/connections/forwards/${forward!.forwardId}?done=added`
      },
      (visit, sent) => adding(visit, { failure: ofFields(sent.failure), values: visit.form }),
    )
    .developer('POST /games/:id/connections/forwards/test', async (visit) => adding(visit, await tested(visit)))
    .signedIn('GET /games/:id/connections/forwards/:forward', (visit) => one(visit))
    .developer('GET /games/:id/connections/forwards/:forward/change', (visit) => changing(visit))
    .developer(
      'POST /games/:id/connections/forwards/:forward/change',
      async (visit) => {
        const { forward } = await forwardOf(visit)
        const { forwardId } = forward
        const settings = await settingsOf(visit, forward)
        await visit.core.forwards.changeForward({ forwardId, settings, credential: credentialIn(visit.form) })
        return `/games/${uuid(visit)}/connections/forwards/${forwardId}?done=changed`
      },
      (visit, sent) => changing(visit, { failure: ofFields(sent.failure), values: visit.form }),
    )
    .developer('POST /games/:id/connections/forwards/:forward/test', async (visit) =>
      changing(visit, await tested(visit, (await forwardOf(visit)).forward)),
    )
    .developer(
      'POST /games/:id/connections/forwards/:forward/pause',
      act(async ({ core, form }, forwardId) => {
        const paused = form('paused') === 'yes'
        await core.forwards.pauseForward({ forwardId, paused })
        return paused ? 'paused' : 'resumed'
      }),
    )
    .developer(
      'POST /games/:id/connections/forwards/:forward/send-again',
      async (visit) => {
        const { forwardId } = (await forwardOf(visit)).forward
        await visit.core.forwards.sendAgain({ forwardId, since: sinceIn(visit.form) })
        return `/games/${uuid(visit)}/connections/forwards/${forwardId}?done=again`
      },
      (visit, sent) => one(visit, { failure: ofFields(sent.failure), values: visit.form }),
    )
    .developer(
      'POST /games/:id/connections/forwards/:forward/retry',
      act(async ({ core }, forwardId) => {
        await core.forwards.retrySetAside({ forwardId })
        return 'retried'
      }),
    )
    .developer('GET /games/:id/connections/forwards/:forward/remove', async (visit) => {
      const { game, forward } = await forwardOf(visit)
      return removeForwardPage(visit, game, forward)
    })
    .developer('POST /games/:id/connections/forwards/:forward/remove', async (visit) => {
      const { forwardId } = (await forwardOf(visit)).forward
      await visit.core.forwards.removeForward({ forwardId })
      return `/games/${uuid(visit)}/connections?done=removed`
    })
}

/** Does something to the forward of the address, and goes to its page. */
const act =
  (perform: (visit: Visit, forwardId: string) => Promise<string>) =>
  async (visit: Visit): Promise<string> => {
    const { forwardId } = (await forwardOf(visit)).forward
    const did = await perform(visit, forwardId)
    return `/games/${uuid(visit)}/connections/forwards/${forwardId}?done=${did}`
  }

interface Found {
  readonly game: Game
  readonly forward: Forward
  readonly setAside: GetForwardResponse['setAside']
}

/** The forward of the address, of the game of the address. @throws PageFailure not found */
async function forwardOf(visit: Visit): Promise<Found> {
  const forwardId = uuid(visit, 'forward')
  const [game, { forward, setAside }] = await Promise.all([
    gameOf(visit),
    visit.core.forwards.getForward({ forwardId }),
  ])
  if (forward?.gameId === uuid(visit)) return { game, forward, setAside }
  throw new PageFailure(Reason.NOT_FOUND, 'There is no such forward.')
}

async function one(visit: Visit, sent: Pick<Filling, 'failure' | 'values'> = {}): Promise<Html> {
  const { game, forward, setAside } = await forwardOf(visit)
  return forwardPage(visit, game, forward, setAside, { ...sent, done: notice(visit, done) })
}

async function adding(visit: Visit, filling: Filling = {}): Promise<Html> {
  const [game, named] = await Promise.all([gameOf(visit), namedIn(visit, { sandbox: false })])
  return newForwardPage(visit, game, { ...filling, named })
}

async function changing(visit: Visit, filling: Filling = {}): Promise<Html> {
  const { game, forward } = await forwardOf(visit)
  const named = await namedIn(visit, forward.settings!)
  return changeForwardPage(visit, game, forward, { ...filling, named })
}

/** What the target says to what the form has; what is wrong with the form is said in the same place. */
async function tested(visit: Visit, forward?: Forward): Promise<Filling> {
  const values = visit.form
  try {
    const settings = await settingsOf(visit, forward)
    const { problem } = await visit.core.forwards.testForward(
      {
        gameId: uuid(visit),
        settings: { ...settings, name: settings.name || 'Test' },
        credential: credentialIn(values),
        forwardId: forward?.forwardId ?? '',
      },
      testing,
    )
    return { values, tested: problem }
  } catch (error) {
    const failure = ofFields(refused(visit, error))
    return { values, failure, tested: failure.message }
  }
}

async function settingsOf(visit: Visit, forward?: Forward) {
  const sandbox = forward?.settings?.sandbox
  const isNamed = isVerbName(visit.form('verb'))
  const of = { sandbox: sandbox ?? visit.form('statements') === 'sandbox' }
  const verbs = isNamed ? (await namedIn(visit, of)).verbs : []
  return settingsIn(visit.form, verbs, sandbox)
}
