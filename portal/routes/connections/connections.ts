import { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { Forward, GetForwardResponse } from '../../../gen/lrs/v1/forwards_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { PageFailure } from '../../web/failure.ts'
import { credentialIn, ofFields, settingsIn, sinceIn } from './forward-input.ts'
import type { Html } from '../../web/html.ts'
import { connectionsPage } from '../../pages/connections/connections.ts'
import { forwardPage, removeForwardPage } from '../../pages/connections/forward.ts'
import { changeForwardPage, newForwardPage, type Filling } from '../../pages/connections/forward-form.ts'
import {
  developer,
  refused,
  seeOther,
  signedIn,
  uuid,
  type Portal,
  type SignedIn,
  type Visit,
} from '../../web/visit.ts'
import { isVerbName } from '../records/verb-filter.ts'
import { gameOf } from '../parts/game-of.ts'
import { verbsOf } from '../records/statements.ts'

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
const doneIn = ({ query }: Visit): string | undefined =>
  Object.hasOwn(done, query('done')) ? done[query('done')] : undefined

/** A target answers within this time, or its test has failed. */
const testing = { timeoutMs: 60_000 }

/** The other systems that get what a game stores. */
export function connections(portal: Portal): Router {
  /** Does something to the forward of the address, and goes to its page. */
  const act = (perform: (visit: SignedIn, forwardId: string) => Promise<string>) =>
    developer(portal, async (visit) => {
      const { forward } = await forwardOf(visit)
      const did = await perform(visit, forward.forwardId)
      seeOther(visit, `/games/${uuid(visit)}/connections/forwards/${forward.forwardId}?done=${did}`)
    })

  return Router()
    .get(
      '/games/:id/connections',
      signedIn(portal, async (visit) => {
        const [game, { forwards }, { webhooks }] = await Promise.all([
          gameOf(visit),
          visit.core.forwards.listForwards({ gameId: uuid(visit) }),
          visit.core.webhooks.listWebhooks({ gameId: uuid(visit) }),
        ])
        return connectionsPage(visit, game, { forwards, webhooks, done: doneIn(visit) })
      }),
    )
    .get(
      '/games/:id/connections/forwards/new',
      developer(portal, (visit) => adding(visit)),
    )
    .post(
      '/games/:id/connections/forwards',
      developer(portal, async (visit) => {
        try {
          const { forward } = await visit.core.forwards.addForward({
            gameId: uuid(visit),
            settings: await settingsOf(visit),
            credential: credentialIn(visit.form),
            since: sinceIn(visit.form),
          })
          seeOther(visit, `/games/${uuid(visit)}/connections/forwards/${forward!.forwardId}?done=added`)
        } catch (error) {
          return adding(visit, { failure: ofFields(refused(visit, error)), values: visit.form })
        }
      }),
    )
    .post(
      '/games/:id/connections/forwards/test',
      developer(portal, async (visit) => adding(visit, await tested(visit))),
    )
    .get(
      '/games/:id/connections/forwards/:forward',
      signedIn(portal, (visit) => one(visit)),
    )
    .get(
      '/games/:id/connections/forwards/:forward/change',
      developer(portal, (visit) => changing(visit)),
    )
    .post(
      '/games/:id/connections/forwards/:forward/change',
      developer(portal, async (visit) => {
        const { forward } = await forwardOf(visit)
        const { forwardId } = forward
        try {
          const settings = await settingsOf(visit, forward)
          await visit.core.forwards.changeForward({ forwardId, settings, credential: credentialIn(visit.form) })
          seeOther(visit, `/games/${uuid(visit)}/connections/forwards/${forwardId}?done=changed`)
        } catch (error) {
          return changing(visit, { failure: ofFields(refused(visit, error)), values: visit.form })
        }
      }),
    )
    .post(
      '/games/:id/connections/forwards/:forward/test',
      developer(portal, async (visit) => changing(visit, await tested(visit, (await forwardOf(visit)).forward))),
    )
    .post(
      '/games/:id/connections/forwards/:forward/pause',
      act(async ({ core, form }, forwardId) => {
        const paused = form('paused') === 'yes'
        await core.forwards.pauseForward({ forwardId, paused })
        return paused ? 'paused' : 'resumed'
      }),
    )
    .post(
      '/games/:id/connections/forwards/:forward/send-again',
      developer(portal, async (visit) => {
        const { forwardId } = (await forwardOf(visit)).forward
        try {
          await visit.core.forwards.sendAgain({ forwardId, since: sinceIn(visit.form) })
          seeOther(visit, `/games/${uuid(visit)}/connections/forwards/${forwardId}?done=again`)
        } catch (error) {
          return one(visit, { failure: ofFields(refused(visit, error)), values: visit.form })
        }
      }),
    )
    .post(
      '/games/:id/connections/forwards/:forward/retry',
      act(async ({ core }, forwardId) => {
        await core.forwards.retrySetAside({ forwardId })
        return 'retried'
      }),
    )
    .get(
      '/games/:id/connections/forwards/:forward/remove',
      developer(portal, async (visit) => {
        const { game, forward } = await forwardOf(visit)
        return removeForwardPage(visit, game, forward)
      }),
    )
    .post(
      '/games/:id/connections/forwards/:forward/remove',
      developer(portal, async (visit) => {
        const { forwardId } = (await forwardOf(visit)).forward
        await visit.core.forwards.removeForward({ forwardId })
        seeOther(visit, `/games/${uuid(visit)}/connections?done=removed`)
      }),
    )
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
  return forwardPage(visit, game, forward, setAside, { ...sent, done: doneIn(visit) })
}

async function adding(visit: Visit, filling: Filling = {}): Promise<Html> {
  const [game, verbs] = await Promise.all([gameOf(visit), verbsIn(visit, false)])
  return newForwardPage(visit, game, { ...filling, verbs })
}

async function changing(visit: Visit, filling: Filling = {}): Promise<Html> {
  const { game, forward } = await forwardOf(visit)
  const verbs = await verbsIn(visit, forward.settings!.sandbox)
  return changeForwardPage(visit, game, forward, { ...filling, verbs })
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
  const verbs = isNamed ? await verbsIn(visit, sandbox ?? visit.form('statements') === 'sandbox') : []
  return settingsIn(visit.form, verbs, sandbox)
}

const verbsIn = (visit: Visit, sandbox: boolean) => verbsOf(visit, { sandbox, days: 30, makes: true })
