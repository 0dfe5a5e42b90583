import { throwIfStale, type Caller } from '../access/caller.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Store } from '../../store.ts'
import { knowledgeKey } from '../xapi/document-scope.ts'
import { foldActivity } from '../xapi/fold-activity.ts'
import { activityKey } from '../xapi/identify.ts'
import { agentParameter, iriParameter } from '../xapi/parameters.ts'
import { personOf } from '../xapi/person.ts'
import { namesInOwnGame } from './own-person.ts'

/** JSON of the Person of an agent: from all games, or only from the caller's own game or sandbox. */
export async function getPerson(
  { store, config, work }: Pick<Core, 'store' | 'config' | 'work'>,
  caller: Caller,
  agent: string,
): Promise<string> {
  const asked = agentParameter(agent, 'agent', caller.rules)
  const { key, identifier } = asked
  if (caller.learner && caller.learner.agent !== key)
    throw new Refusal('forbidden', 'A launch token sees its own learner only.', { path: 'agent' })
  const names =
    caller.rules.persons === 'of-own-game'
      ? await namesInOwnGame({ store, config, work }, caller, asked)
      : throwIfStale(await store.knowledge.names(caller, knowledgeKey(key, caller.sandbox)))
  if (!names) throw new Refusal('not-found', 'No statement or document is stored for this agent.')
  return personOf(
    identifier,
    names.filter((name) => name !== null),
  )
}

/** JSON of an Activity, its definitions from all statements merged. */
export async function getActivity(store: Store, caller: Caller, activityId: string): Promise<string> {
  const iri = iriParameter(activityId, 'activityId')
  const definitions = throwIfStale(
    await store.knowledge.definitions(caller, knowledgeKey(activityKey(iri), caller.sandbox)),
  )
  if (!definitions && !caller.rules.unknownActivityIsEmpty)
    throw new Refusal('not-found', 'No stored statement names this activity.')
  return foldActivity(iri, definitions?.filter((definition) => definition !== null) ?? [])
}
