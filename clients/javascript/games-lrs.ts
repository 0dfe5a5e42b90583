import { documents, type Documents } from './documents.ts'
import { readLaunch, type Launch } from './launch.ts'
import { openQueue } from './queue.ts'
import { LrsError, sender } from './sender.ts'

export { LrsError, readLaunch, type Documents, type Launch }
export type { Document } from './documents.ts'

export interface ClientOptions {
  /** Without: as the player hands it to the page. */
  readonly launch?: Launch
  /** Told of what the service refused for good; without: the console. */
  readonly onError?: (error: LrsError) => void
  /** Milliseconds that a statement waits for others; default 5,000. */
  readonly flushAfter?: number
  /** Statements that do not wait; default 20. */
  readonly flushAt?: number
}

/** A statement of xAPI; id, timestamp, actor and registration are filled in where they are missing. */
export interface Statement {
  readonly id?: string
  readonly actor?: object
  readonly verb: { readonly id: string; readonly display?: Record<string, string> }
  readonly object: object
  readonly result?: Result
  readonly context?: Record<string, unknown>
  readonly timestamp?: string
}

export interface Result {
  /** A number is the scaled score, -1 to 1. */
  readonly score?: number | { scaled?: number; raw?: number; min?: number; max?: number }
  readonly success?: boolean
  readonly completion?: boolean
  /** ISO 8601, such as `PT90S`. */
  readonly duration?: string
  readonly response?: string
  readonly extensions?: Record<string, unknown>
}

/** An activity, such as a level: an IRI, below the game's own or a whole one, with a name for people. */
export type Activity = string | { readonly id: string; readonly name?: string; readonly type?: string }

const verbs = {
  initialized: 'http://adlnet.gov/expapi/verbs/initialized',
  progressed: 'http://adlnet.gov/expapi/verbs/progressed',
  completed: 'http://adlnet.gov/expapi/verbs/completed',
  passed: 'http://adlnet.gov/expapi/verbs/passed',
  failed: 'http://adlnet.gov/expapi/verbs/failed',
  scored: 'http://adlnet.gov/expapi/verbs/scored',
  terminated: 'http://adlnet.gov/expapi/verbs/terminated',
} as const
type Verb = keyof typeof verbs

export type Client = Record<Verb, (activity?: Activity, result?: Result) => Promise<string>> & {
  readonly launch: Launch
  /** Queues a statement; resolves with its id when it is kept on this machine, not when it was sent. */
  send(statement: Statement): Promise<string>
  /** Sends what waits now. */
  flush(): Promise<void>
  /** State of the learner in this game, or in one activity of it. */
  state(activity?: Activity): Documents
  /** Shared by all learners of an activity. */
  activityProfile(activity?: Activity): Documents
  /** Of the learner, across games. */
  agentProfile(): Documents
  /** Sends what waits and stops. */
  close(): Promise<void>
}

/**
 * Connects a game to its record store. Undefined: the page was not launched, nothing can be reported.
 * On a server: `connect({ launch: { endpoint, auth: basic(key, secret), actor } })`.
 */
export async function connect(options: ClientOptions = {}): Promise<Client | undefined> {
  const launch = options.launch ?? (await readLaunch())
  if (!launch) return undefined
  const { auth, actor, registration, activityId = '' } = launch
  const endpoint = launch.endpoint.replace(/\/*$/, '/')
  const request = (method: string, path: string, { headers, ...init }: RequestInit = {}): Promise<Response> =>
    fetch(endpoint + path, {
      method,
      headers: { 'X-Experience-API-Version': '1.0.3', Authorization: auth, ...(headers as Record<string, string>) },
      // a browser gives up by itself, Node does not
      signal: AbortSignal.timeout(60_000),
      ...init,
    })
  const queue = await openQueue(`${endpoint} ${JSON.stringify(actor) ?? auth}`)
  const sending = sender({
    request,
    queue,
    flushAfter: options.flushAfter ?? 5_000,
    flushAt: options.flushAt ?? 20,
    onError:
      options.onError ??
      ((error) => console.error(`games-lrs: ${error.status} ${error.message}`, error.statement ?? '')),
  })

  const hidden = (): void => {
    if (document.visibilityState === 'hidden') sending.last()
  }
  const online = (): void => void sending.flush()
  const inPage = globalThis.document !== undefined
  if (inPage) {
    addEventListener('pagehide', sending.last)
    document.addEventListener('visibilitychange', hidden)
    addEventListener('online', online)
  }
  // what an earlier page left
  void sending.flush()

  const idOf = (activity: Activity = activityId): string => {
    const id = typeof activity === 'string' ? activity : activity.id
    return /^[a-z][a-z0-9+.-]*:/i.test(id) ? id : `${activityId}/${encodeURI(id)}`
  }
  async function send({
    id = crypto.randomUUID(),
    timestamp = new Date().toISOString(),
    ...statement
  }: Statement): Promise<string> {
    const score =
      typeof statement.result?.score === 'number' ? { scaled: statement.result.score } : statement.result?.score
    const complete = {
      id,
      ...(actor && { actor }),
      ...statement,
      timestamp,
      ...(statement.result && { result: { ...statement.result, ...(score && { score }) } }),
      ...((registration ?? statement.context) && {
        context: { ...(registration && { registration }), ...statement.context },
      }),
    }
    await sending.add(id, JSON.stringify(complete))
    return id
  }
  const say =
    (verb: Verb) =>
    (activity?: Activity, result: Result = {}): Promise<string> => {
      const { name, type } = typeof activity === 'object' ? activity : {}
      const definition =
        (name ?? type) === undefined ? undefined : { ...(name && { name: { und: name } }), ...(type && { type }) }
      const implied = {
        ...(verb === 'completed' && { completion: true }),
        ...(verb === 'passed' && { success: true }),
        ...(verb === 'failed' && { success: false }),
      }
      const all = { ...implied, ...result }
      return send({
        verb: { id: verbs[verb], display: { en: verb } },
        object: { id: idOf(activity), ...(definition && { definition }) },
        ...(Object.keys(all).length > 0 && { result: all }),
      })
    }
  const of = (resource: string, idName: string, parameters: Record<string, string>): Documents =>
    documents(request, resource, idName, parameters)
  const agent = JSON.stringify(actor)

  return {
    launch,
    send,
    flush: sending.flush,
    initialized: say('initialized'),
    progressed: say('progressed'),
    completed: say('completed'),
    passed: say('passed'),
    failed: say('failed'),
    scored: say('scored'),
    terminated: say('terminated'),
    state: (activity) => of('activities/state', 'stateId', { activityId: idOf(activity), agent }),
    activityProfile: (activity) => of('activities/profile', 'profileId', { activityId: idOf(activity) }),
    agentProfile: () => of('agents/profile', 'profileId', { agent }),
    async close() {
      await sending.flush()
      sending.close()
      if (!inPage) return
      removeEventListener('pagehide', sending.last)
      document.removeEventListener('visibilitychange', hidden)
      removeEventListener('online', online)
    },
  }
}

/** The Authorization of a server: never in a game that players can read. */
export const basic = (key: string, secret: string): string => `Basic ${btoa(`${key}:${secret}`)}`
