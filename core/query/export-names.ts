import { throwIfStale, type Caller } from '../access/caller.ts'
import type { Core } from '../context.ts'
import type { Known, Unknown } from '../export/encoder.ts'
import { knowledgeKey } from '../xapi/document-scope.ts'
import { foldDefinition } from '../xapi/fold-activity.ts'
import { activityKey, verbKey } from '../xapi/identify.ts'
import { parse } from '../xapi/parse.ts'
import type { ActivityDefinition } from '../xapi/types.ts'

const atOnce = 8

/** What core knows of verbs and activities, from all statements that named them. @throws StaleCaller */
export async function namesOf(
  { store, fairQueue }: Pick<Core, 'store' | 'fairQueue'>,
  caller: Caller,
  unknown: Unknown,
): Promise<Known> {
  const keys = new Map(unknown.verbs.map((iri) => [verbKey(iri), iri]))
  const named = keys.size === 0 ? [] : await store.tallyNames(caller.game, [...keys.keys()])
  const names = new Map(named.map(({ iri, name }) => [iri, name]))

  async function isOf(iri: string): Promise<Known['activities'][number]> {
    const told = throwIfStale(
      await fairQueue.run(caller.game, () =>
        store.knowledge.definitions(caller, knowledgeKey(activityKey(iri), caller.sandbox)),
      ),
    )
    const definitions = (told ?? []).filter((definition) => definition !== null)
    if (definitions.length === 0) return [iri, {}]
    const { name, type } = parse(foldDefinition(definitions)) as ActivityDefinition
    return [iri, { name: name ?? undefined, type: type ?? undefined }]
  }

  const activities: Known['activities'][number][] = []
  for (let at = 0; at < unknown.activities.length; at += atOnce)
    activities.push(...(await Promise.all(unknown.activities.slice(at, at + atOnce).map(isOf))))
  // an empty name says that nobody gave one
  return { verbs: unknown.verbs.map((iri) => [iri, names.get(iri) ?? ''] as const), activities }
}
