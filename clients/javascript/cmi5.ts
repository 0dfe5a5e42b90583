import { verbs } from './verbs.ts'

/** What a learning management system gives to a unit of cmi5, beside its launch. */
export interface Cmi5 {
  /** Part of the context of every statement. */
  readonly contextTemplate: Context
  /** `Browse`, `Review`: the learner looks around, and nothing is judged. */
  readonly launchMode: 'Normal' | 'Browse' | 'Review'
  /** Of the author of the course. */
  readonly launchParameters?: string
  readonly learnerPreferences?: {
    /** Language tags with commas, the preferred one first. */
    readonly languagePreference?: string
    /** `off`: the game begins without sound. */
    readonly audioPreference?: 'on' | 'off'
  }
}

/** Of a statement. */
interface Context {
  readonly contextActivities?: Record<string, unknown>
  readonly extensions?: object
  readonly [name: string]: unknown
}

/** The context with the template: values of the template stay, lists of activities begin with its own. */
export function inTemplate(template: Context, given: Context): Context {
  const [own, more] = [template.contextActivities ?? {}, given.contextActivities ?? {}]
  const joined = Object.keys({ ...own, ...more }).map((list) => [list, [own[list] ?? [], more[list] ?? []].flat()])
  return {
    ...given,
    ...template,
    ...(joined.length > 0 && { contextActivities: Object.fromEntries(joined) }),
    extensions: { ...given.extensions, ...template.extensions },
  }
}

const ofUnit: readonly string[] = ['initialized', 'completed', 'passed', 'failed', 'terminated'].map(
  (verb) => verbs[verb as keyof typeof verbs],
)

/**
 * What cmi5 defines for the whole game is said by the page around it, once and in order: the page hears of it here.
 * False: it is another statement.
 */
export function saidByPage(verbId: string, result: unknown): boolean {
  if (!ofUnit.includes(verbId)) return false
  window.parent.postMessage({ type: 'xapi-cmi5', verb: verbId.slice(verbId.lastIndexOf('/') + 1), result }, '*')
  return true
}
