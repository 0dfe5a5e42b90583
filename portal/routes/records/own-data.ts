import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { endless } from '../../web/core-client.ts'
import { PageFailure } from '../../web/failure.ts'
import { isCodeOf, isProven, keepLearner, provenNow } from '../parts/learner-cookie.ts'
import { codePage, ownDataPage, type OwnAs } from '../../pages/records/own-data.ts'
import { routes } from '../../web/routes.ts'
import { notice, refusedLearner, type Form, type Portal, type Visit } from '../../web/visit.ts'
import { sendLines } from '../parts/send-lines.ts'
import { gameOf, isHttps, learnerOf, slugOf } from '../parts/player.ts'

/** What a game holds on the learner who plays it. */
export const ownData = (portal: Portal): Router =>
  routes(portal)
    .page('GET /play/:slug/data', (visit) => show(visit, visit.query))
    .page('GET /play/:slug/data/export', async (visit) => {
      const { proof } = proofOf(visit, visit.query)
      await sendLines(visit, `${slugOf(visit)}.ndjson`, visit.core.ownData.exportOwnData({ proof }, endless))
    })
    .page('POST /play/:slug/data/code', async (visit) => {
      const slug = slugOf(visit)
      const learner = learnerOf(visit)
      if (learner.learnerToken === '' || !isCodeOf(learner.learnerToken, visit.form('code'))) {
        const wrong = new PageFailure(Reason.INVALID, 'code: is not the code of this learner', { path: 'code' })
        return codePage(visit, await gameOf(visit), { failure: refusedLearner(visit, wrong) })
      }
      keepLearner(visit, slug, isHttps(visit), { ...learner, proven: provenNow() })
      return `/play/${slug}/data`
    })
    .page('POST /play/:slug/data/erase', async (visit) => {
      const { as, proof } = proofOf(visit, visit.form)
      try {
        if (visit.form('sure') === '')
          throw new PageFailure(Reason.INVALID, 'sure: is missing. Set it if it is really you', { path: 'sure' })
        await visit.core.ownData.askErasure({ proof })
      } catch (error) {
        return show(visit, visit.form, error)
      }
      return addressOf(visit, as, 'asked')
    })
    .page('POST /play/:slug/data/end-device', async (visit) => {
      const { as, proof } = proofOf(visit, visit.form)
      await visit.core.devices.endOwnDevice({ proof, deviceId: visit.form('device_id') })
      return addressOf(visit, as, 'device')
    })
    .page('POST /play/:slug/data/keep', async (visit) => {
      const { as, proof } = proofOf(visit, visit.form)
      await visit.core.ownData.takeBackErasure({ proof })
      return addressOf(visit, as, 'kept')
    })

const done = ({ say }: Visit): Readonly<Record<string, string>> => ({
  asked: say.text('data.asked'),
  kept: say.text('data.kept'),
  device: say.text('data.deviceEnded'),
})

const addressOf = (visit: Visit, as: OwnAs, what: string): string =>
  `/play/${slugOf(visit)}/data?${new URLSearchParams({ ...as, done: what })}`

async function show(visit: Visit, given: Form, error?: unknown) {
  if (needsCode(visit, given)) return codePage(visit, await gameOf(visit))
  const { as, proof } = proofOf(visit, given)
  const [game, own, { devices }] = await Promise.all([
    gameOf(visit),
    visit.core.ownData.getOwnData({ proof }),
    visit.core.devices.listOwnDevices({ proof }),
  ])
  const failure = error === undefined ? undefined : refusedLearner(visit, error)
  return ownDataPage(visit, game, { ...own, devices }, as, { failure, done: notice(visit, done(visit)) })
}

/**
 * The remembered learner, or its session, is to be shown without a new proof: the next person at this computer may have
 * said yes to the name.
 */
function needsCode(visit: Visit, given: Form): boolean {
  const learner = learnerOf(visit)
  if (given('invitation') !== '' || learner.learnerToken === '' || isProven(learner)) return false
  return given('as') !== 'session' || learner.startedBy !== 'other'
}

/** By an invitation, by what this browser remembers, or by the session that runs in it: `as` says which. */
function proofOf(visit: Visit, given: Form) {
  if (needsCode(visit, given))
    throw new PageFailure(
      Reason.FORBIDDEN,
      'First show who you are: open “Your data in this game” and enter your code.',
    )
  const slug = slugOf(visit)
  const invitation = given('invitation')
  const { learnerToken, sessionSecret } = learnerOf(visit)
  const who = { slug, senderIp: visit.senderIp, invitation: '', learnerToken: '', sessionSecret: '' }
  if (invitation !== '') return { as: { invitation } as OwnAs, proof: { ...who, invitation } }
  if (given('as') !== 'session' && learnerToken !== '') return { as: {} as OwnAs, proof: { ...who, learnerToken } }
  return { as: { as: 'session' } as OwnAs, proof: { ...who, sessionSecret } }
}
