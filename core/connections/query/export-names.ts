import { throwIfStale, type Caller } from '../../records/access/caller.ts'
import type { Core } from '../../context.ts'
import type { Known, Unknown } from '../export/encoder.ts'
import { knowledgeKey } from '../../records/xapi/document-scope.ts'
import { foldDefinition } from '../../records/xapi/fold-activity.ts'
import { activityKey, verbKey } from '../../records/xapi/identify.ts'
import { parse } from '../../records/xapi/json.ts'
import type { ActivityDefinition, LanguageMap } from '../../records/xapi/types.ts'

const atOnce = 8
/** Languages of a name, and characters of each, and of a type: a file has them in every row. */
const mostLanguages = 20
const longest = 500

const shortened = (name: LanguageMap): LanguageMap =>
  Object.fromEntries(
    Object.entries(name)
      .slice(0, mostLanguages)
      .map(([tag, text]) => [tag, typeof text === 'string' ? text.slice(0, longest) : text]),
  )

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
    return [iri, { name: name ? shortened(name) : undefined, type: type?.slice(0, longest) }]
  }

  const activities: Known['activities'][number][] = []
  for (let at = 0; at < unknown.activities.length; at += atOnce)
    activities.push(...(await Promise.all(unknown.activities.slice(at, at + atOnce).map(isOf))))
  // an empty name says that nobody gave one
  return { verbs: unknown.verbs.map((iri) => [iri, names.get(iri) ?? ''] as const), activities }
}
