import { randomUUID } from 'node:crypto'
import { erasureRequests } from '../../../shared/limits.ts'
import { learnerKeys, type Learner } from '../../records/access/learner.ts'
import { ownLearner, type OwnProof } from '../access/own-learner.ts'
import type { Core } from '../../context.ts'
import type { Run } from '../../process/database/database.ts'
import { Refusal } from '../../process/refusal.ts'
import type { DueErasure, ErasureRequest, OwnLearner } from '../store/own-data.ts'
import { line, refusalReason } from '../../process/rules/text.ts'
import { agentIdentifier } from '../../records/xapi/identify.ts'
import { eraseLearner, type Erased } from './erase-learner.ts'

type Needs = Pick<Core, 'store' | 'config' | 'notices' | 'log'>

/** A learner asks for its erasure. @throws Refusal */
export async function askErasure(
  core: Needs,
  proof: OwnProof | undefined,
): Promise<{ request: ErasureRequest; learner: OwnLearner }> {
  const { store } = core
  const { learner, mayAsk } = await ownLearner(core, proof)
  if (!mayAsk)
    throw new Refusal(
      'forbidden',
      'Only a learner whom this computer remembers, or one with an invitation, can ask here. Ask the studio.',
    )
  await store.transaction((run) => askFor(core, run, learner.learnerId))
  return { request: (await store.ownData.latest(learner.learnerId))!, learner }
}

/**
 * Asks for the erasure of a learner; its studio is told, without the name of the learner.
 * @param school that asks; undefined: the learner itself does
 */
export async function askFor(
  { store, notices }: Pick<Core, 'store' | 'notices'>,
  run: Run,
  learner: string,
  school?: number,
): Promise<void> {
  const asked = await store.ownData.ask(run, learner, erasureRequests.days, school)
  // everybody can be a learner and ask, so a studio gets a notice an hour at most
  if (!asked || asked.recent) return
  const { studio, gameId, gameName } = asked
  const text = {
    title: `A learner of ${gameName} asks for an erasure`,
    lines: [
      `A learner of ${gameName}, or its school, asks that its data is erased. ` +
        `Erase it, or refuse with a reason. Without a decision it is erased in ${erasureRequests.days} days.`,
    ],
    path: `/games/${gameId}/learners`,
    action: 'Decide',
  }
  await notices.tell({ studio, roles: ['owner', 'developer'] }, 'learner', text, run)
}

/** The learner's data stays after all. @throws Refusal 'not-found', 'conflict' */
export async function takeBackErasure(core: Needs, proof: OwnProof | undefined): Promise<OwnLearner> {
  const { learner, mayAsk } = await ownLearner(core, proof)
  if (!mayAsk || !(await core.store.ownData.takeBack(learner.learnerId)))
    throw new Refusal('conflict', 'There is no open request to take back.')
  return learner
}

/** The studio erases at once, or refuses with a reason. Returns the receipt of an erasure. @throws Problem, Refusal */
export async function decideErasure(
  core: Needs,
  studio: number | undefined,
  decision: { readonly gameId: string; readonly requestId: string; readonly erase: boolean; readonly reason: string },
): Promise<{ receipt: string; erased: Erased | undefined }> {
  const { store, notices } = core
  const { ownData } = store
  const waiting = await ownData.waiting(decision.requestId, decision.gameId, studio)
  if (!waiting) throw decided()
  if (decision.erase) return erase(core, waiting)
  const reason = line(decision.reason, 'reason', refusalReason)
  await store.transaction(async (run) => {
    const refused = await ownData.refuse(run, waiting.requestId, reason)
    if (!refused) throw decided()
    const { school, gameName } = refused
    if (school === null) return
    const text = {
      title: `${gameName} does not erase the results of a pupil`,
      lines: [`You asked for it when you removed the pupil. The studio refused: ${reason}`],
      path: '/classes',
      action: 'See your classes',
    }
    await notices.tell({ studio: school, roles: ['owner', 'teacher'] }, 'learner', text, run)
  })
  return { receipt: '', erased: undefined }
}

/** Erases what nobody has decided on in time; each request once, by whichever core is first. */
export async function sweepErasures(core: Needs & Pick<Core, 'audit'>): Promise<void> {
  for (const request of await core.store.ownData.due(100)) {
    try {
      const { receipt, erased } = await erase(core, request)
      await core.audit.note({
        action: 'learner.erase',
        actor: { kind: 'service', id: 'core' },
        subject: { kind: 'game', id: request.gameId },
        details: { receipt, statements: erased?.statements ?? 0, request: request.requestId },
      })
    } catch (error) {
      // another core was faster, or the learner took it back
      if (!(error instanceof Refusal && error.reason === 'conflict')) throw error
    }
  }
}

const decided = () => new Refusal('conflict', 'This request is closed: it was decided, or the learner took it back.')

/** The request ends in the transaction of the erasure. @throws Refusal 'conflict' */
async function erase(
  { store, config, log }: Needs,
  { requestId, learnerId, gameId }: DueErasure,
): Promise<{ receipt: string; erased: Erased | undefined }> {
  const receipt = randomUUID()
  const finish = async (run: Parameters<typeof store.ownData.finish>[0]): Promise<void> => {
    if (!(await store.ownData.finish(run, requestId, receipt))) throw decided()
  }
  if (!(await store.ownData.begin(requestId))) throw decided()
  // the learner is gone already
  if (learnerId === null) {
    await store.transaction(finish)
    return { receipt, erased: undefined }
  }
  const { game, sandbox } = (await store.games.tenants(gameId, undefined))!
  const learner: Learner = {
    ...learnerKeys(learnerId, config),
    identifier: agentIdentifier({ account: { homePage: `${config.authorityHome}/learners`, name: learnerId } })!,
    only: sandbox === null ? [game] : [game, sandbox],
  }
  const erased = await eraseLearner(store, learner, config.authorityHome, false, finish)
  log.info({ receiptId: receipt, ...erased }, 'a learner was erased')
  return { receipt, erased }
}
