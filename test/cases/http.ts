import { readdirSync, readFileSync } from 'node:fs'
import type { Query } from '../support/xapi.ts'

/**
 * The rules that a request meets: version 1.0.3 in the games dialect, version 1.0.3 to the letter (`LRS_DIALECT=xapi`),
 * version 2.0 (IEEE 9274.1.1), which is the same in both dialects.
 */
export type RuleBook = 'games' | 'xapi' | 'ieee'

/** Requests that follow each other, and how each has to be answered. */
export interface HttpCase {
  /** Ids of requirements: XAPI-… of ADL's list, IEEE-… a section of 9274.1.1. */
  requirement: string
  about: string
  /** Where it holds; everywhere. */
  rules?: RuleBook[]
  steps: Step[]
}

/**
 * In every text `$name` stands for a value that was kept under this name, or else for a UUID, the same throughout the
 * case; `$key` and `$authorization` are those of the game. Expected texts between slashes are regular expressions.
 */
export interface Step {
  /** Method and path below /xapi. */
  ask: string
  query?: Query
  /** In place of what is sent with every request; null leaves one out. */
  headers?: Record<string, string | null>
  /** The body: a text as it is, everything else as JSON. */
  body?: unknown
  /** The body: a valid statement with these properties, or several. */
  statement?: Record<string, unknown> | Record<string, unknown>[]
  /** How many times `statement`, one or several, stands in a batch. */
  repeat?: number
  /** The body: fields of a form; objects as JSON. */
  form?: Record<string, unknown>
  status: number
  headersOut?: Record<string, string>
  /** What the body has to be. */
  text?: string
  /** What the body's JSON has to have, among other members. */
  json?: unknown
  /** What exactly has to stand at places of the body's JSON; null: nothing, "" as a place: all of it. */
  at?: Record<string, unknown>
  /** Name → place (`headers.etag`, `json.more`) of values for later steps. */
  keep?: Record<string, string>
}

/** As the files hold it: with `resources` the case is repeated for each, with `@` as its path and its scope as query. */
interface CaseFile extends Omit<HttpCase, 'requirement' | 'steps'> {
  requirement?: string
  resources?: Partial<Record<keyof typeof scopes, string>>
  /** `document` is the stateId or profileId. */
  steps: (Step & { document?: string })[]
}

const activityId = 'https://example.org/activities/$scope'
const agent = { mbox: 'mailto:$scope@example.org' }
const scopes = {
  'activities/state': { id: 'stateId', query: { activityId, agent } },
  'activities/profile': { id: 'profileId', query: { activityId } },
  'agents/profile': { id: 'profileId', query: { agent } },
}

const folder = new URL('http/', import.meta.url)

/** Every case of the folder `http` that holds by these rules. */
export function httpCases(rules: RuleBook): HttpCase[] {
  return readdirSync(folder)
    .flatMap((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as CaseFile[])
    .filter((one) => one.rules?.includes(rules) ?? true)
    .flatMap(expand)
}

function expand({ requirement = '', resources, steps, about, rules }: CaseFile): HttpCase[] {
  if (resources === undefined) return [{ requirement, about, rules, steps }]
  return Object.entries(resources).map(([path, requirement]) => {
    const { id, query: scope } = scopes[path as keyof typeof scopes]
    const at = steps.map(({ document, query, ask, ...step }): Step => ({
      ...step,
      ask: ask.replace('@', path),
      query: { ...scope, [id]: document, ...query },
    }))
    return { requirement, about: `${path}: ${about}`, rules, steps: at }
  })
}
