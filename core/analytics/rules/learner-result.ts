import { verbKey, type Key } from '../../records/xapi/identify.ts'
import { parse } from '../../records/xapi/json.ts'

/** One statement of a learner, as the table of a class needs it. */
export interface LearnerStatement {
  /** Microseconds. */
  readonly stored: number
  readonly registration: string | null
  /** Key of its object, if that is an Activity. */
  readonly activity: Key | null
  /** Of statements that end an attempt; null: it was not read. */
  readonly body: string | null
}

/** What a learner did in a game. */
export interface LearnerResult {
  /** Statements that were looked at. */
  readonly statements: number
  /** Activities that were completed or passed, without the game itself. */
  readonly completed: number
  /** The best scaled score at the end of an attempt. */
  readonly bestScore?: number
  /** From the first to the last statement of each session. */
  readonly seconds: number
  /** When the last statement came: seconds since 1970; 0: never. */
  readonly lastSeen: number
}

/** The verbs of a profile that end an attempt. */
const endings = ['completed', 'passed', 'failed', 'mastered', 'scored']
const reached = new Set(['completed', 'passed', 'mastered'])
const profiles = [
  'http://adlnet.gov/expapi/verbs/',
  'https://w3id.org/xapi/adb/verbs/',
  'https://w3id.org/xapi/adl/verbs/',
]
const verbs = new Map(profiles.flatMap((profile) => endings.map((name) => [`${profile}${name}`, name] as const)))

/** Keys of the verbs that end an attempt; so does every statement with `completion`. */
export const endingVerbs: readonly Key[] = [...verbs.keys()].map(verbKey)

/** @param game key of the game as an activity */
export function learnerResult(statements: readonly LearnerStatement[], game: Key): LearnerResult {
  const completed = new Set<Key>()
  const sessions = new Map<string, { first: number; last: number }>()
  let bestScore: number | undefined
  let lastSeen = 0
  for (const { stored, registration, activity, body } of statements) {
    lastSeen = Math.max(lastSeen, stored)
    if (registration !== null) {
      const { first, last } = sessions.get(registration) ?? { first: stored, last: stored }
      sessions.set(registration, { first: Math.min(first, stored), last: Math.max(last, stored) })
    }
    const end = body === null ? undefined : endOf(parse(body) as StatementJson)
    if (end?.completed && activity !== null && activity !== game) completed.add(activity)
    if (end?.scaled !== undefined) bestScore = Math.max(bestScore ?? -1, end.scaled)
  }
  const microseconds = [...sessions.values()].reduce((sum, { first, last }) => sum + last - first, 0)
  return {
    statements: statements.length,
    completed: completed.size,
    bestScore,
    seconds: Math.round(microseconds / 1e6),
    lastSeen: Math.floor(lastSeen / 1e6),
  }
}

/** What is looked at in a stored statement, which has been found valid. */
interface StatementJson {
  readonly verb: { readonly id: string }
  readonly result?: { readonly completion?: boolean; readonly score?: { readonly scaled?: number } }
}

/** How an attempt ended; undefined: the statement ends none, such as the answer to one question. */
function endOf({ verb, result }: StatementJson): { completed: boolean; scaled?: number } | undefined {
  const name = verbs.get(verb.id)
  if (name === undefined && result?.completion === undefined) return undefined
  return { completed: result?.completion ?? reached.has(name ?? ''), scaled: result?.score?.scaled }
}
