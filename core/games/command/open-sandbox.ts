import type { OpenSandboxRequest } from '../../../gen/lrs/v1/launches_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { newSession, startedLaunch, type LaunchContext } from '../access/launch.ts'
import { noGame } from '../../records/access/no-game.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import { mostTestLearners, type Tester } from '../store/launches.ts'
import { learnerName, line } from '../../process/rules/text.ts'
import { uuidParameter } from '../../records/xapi/parameters.ts'
import { Problem } from '../../process/problem.ts'
import { sandboxCredential } from './credentials.ts'

export type SandboxChoice = Fields<OpenSandboxRequest>

/**
 * Starts a sandbox session of a game that the tester may try.
 * @param countedAs whose limit counts; undefined: no limit counts
 * @throws Problem, Refusal
 */
export async function openSandbox(
  { store, tokens, config }: Core,
  { tester, countedAs }: { readonly tester: Tester; readonly countedAs: string | undefined },
  choice: SandboxChoice,
): Promise<LaunchContext> {
  const { secret, session } = newSession(tokens)
  const wanted = {
    ...choice,
    ...session,
    tester,
    learnerId: uuidParameter(choice.learnerId, 'learner_id'),
    learnerName: choice.learnerName.trim() === '' ? '' : line(choice.learnerName, 'learner_name', learnerName),
    credential: sandboxCredential(config.authorityHome),
  }
  const admit = async (run: Parameters<typeof store.portalLimits.require>[2]) => {
    if (countedAs !== undefined) await store.portalLimits.require('sandbox', countedAs, run)
  }
  switch (await store.launches.openSandbox(wanted, admit)) {
    case 'done':
      return startedLaunch({ store, tokens, config }, secret)
    case 'no-game':
      throw noGame()
    case 'no-build':
      throw new Refusal(
        'not-found',
        choice.beta
          ? 'The game has no beta build: upload one to the channel beta.'
          : choice.live
            ? 'The game has no published build: choose the staged one.'
            : 'The game has no build to try: upload one first, or start a session for your own machine.',
      )
    case 'no-learner':
      throw new Problem('learner_id', 'must be one of the test learners of this game')
    case 'full':
      throw new Problem(
        'learner_name',
        `must be left empty: there are ${mostTestLearners} test learners, choose one of them`,
      )
  }
}
