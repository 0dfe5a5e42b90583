import { mistakesOf } from './check.ts'
import { inTemplate, saidByPage, type Cmi5 } from './cmi5.ts'
import { documents, type Documents } from './documents.ts'
import { readLaunch, type Launch } from './launch.ts'
import { inMemory, openQueue } from './queue.ts'
import { LrsError, sender } from './sender.ts'
import { idBelow, progressExtension, typeOf, verbs, type Verb } from './verbs.ts'

export { LrsError, readLaunch, type Cmi5, type Documents, type Launch, type Verb }
export type { Document } from './documents.ts'

export interface ClientOptions {
  /** Default: the launch context of the page; in Node, of the environment. */
  readonly launch?: Launch
  /** Whether the player agreed to statements; default true. False: drops what waits, and queues nothing until setConsent(true). */
  readonly consent?: boolean
  /** Called for what the service refused for good; default: writes to the console. */
  readonly onError?: (error: LrsError) => void
  /** Called in a lesson with true when the teacher pauses all games, and with false when they go on. */
  readonly onPause?: (paused: boolean) => void
  /** Milliseconds that a statement waits for others; default 5,000. */
  readonly flushAfter?: number
  /** Statements that do not wait; default 20. */
  readonly flushAt?: number
  /**
   * Whether onError also gets mistakes in statements, with status 0, field and remedy, before the service refuses them.
   * Default: in a page of this machine (localhost, a file), and in Node with NODE_ENV=development.
   */
  readonly debug?: boolean
  /** Of the game, such as `1.4.2`: every statement has it as `context.revision`. */
  readonly version?: string
  /** What the game is made with, such as `Phaser 3.90`. */
  readonly engine?: string
}

/** A statement of xAPI; id, timestamp, actor and registration are filled in where they are missing. */
export interface Statement {
  readonly id?: string
  readonly actor?: object
  readonly verb: { readonly id: string; readonly display?: Record<string, string> }
  /** The id of an activity may stand below the game's own, such as `level-1`. */
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
  /** How much is done, from 0 to 1; an extension of the serious-games profile. */
  readonly progress?: number
  /** ISO 8601, such as `PT90S`. */
  readonly duration?: string
  readonly response?: string
  readonly extensions?: Record<string, unknown>
}

/**
 * An activity, such as a level: an IRI, below the game's own or a whole one, with a name for people. A type is an IRI, or
 * a name of the serious-games profile such as `level`, `quest` or `item`.
 */
export type Activity = string | { readonly id: string; readonly name?: string; readonly type?: string }

/** With `progressed` a number is the progress, else the scaled score. Undefined: nothing was queued. */
type Say = (activity?: Activity, result?: Result | number) => Promise<string | undefined>

export type Client = Record<Verb, Say> & {
  /** False: there is no launch context. The game plays on, nothing is reported, and there are no documents. */
  readonly launched: boolean
  readonly launch: Launch | undefined
  /** Queues a statement; resolves with its id when it is kept on this machine. Undefined: nothing was queued. */
  send(statement: Statement): Promise<string | undefined>
  /** Sends what waits now. */
  flush(): Promise<void>
  /** How many statements wait on this machine. */
  pending(): Promise<number>
  /** False: drops what waits, and queues nothing until true. Documents still work. */
  setConsent(granted: boolean): Promise<void>
  /** State of the learner in this game, or in one activity of it. */
  state(activity?: Activity): Documents
  /** Shared by all learners of an activity. */
  activityProfile(activity?: Activity): Documents
  /** Of the learner, across games. */
  agentProfile(): Documents
  /** Sends what waits and stops. */
  close(): Promise<void>
}

/** How this client names itself in statements. */
const clientName = 'games-lrs.js 0.5.0'
/** Extensions of a context that clients add. */
const extensions = 'urn:games-lrs:'
/** A clock that is this wrong is told: seconds. */
const tolerated = 60

const inNode = (globalThis as { process?: { versions?: object; platform?: string; env: Record<string, unknown> } })
  .process
const isDebug = (): boolean =>
  globalThis.location === undefined
    ? inNode?.env['NODE_ENV'] === 'development'
    : /^(localhost|127\..*|\[::1\]|)$/.test(location.hostname)

/** What waits at most: a game that is never online must not fill the disk. */
const mostWaiting = 10_000

/**
 * Connects a game to its record store. Without a launch context it also returns a client, which does nothing.
 * On a server: `connect({ launch: { endpoint, auth: basic(key, secret), actor } })`.
 */
export async function connect(options: ClientOptions = {}): Promise<Client> {
  const launch = options.launch ?? (await readLaunch())
  if (!launch) return unlaunched()
  const { actor, registration, activityId = '', cmi5 } = launch
  let { auth } = launch
  const endpoint = launch.endpoint.replace(/\/*$/, '/')
  /** Seconds by which the clock of this machine is behind that of the service. */
  let clockOffset = 0
  async function request(method: string, path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
    const response = await fetch(endpoint + path, {
      method,
      headers: { 'X-Experience-API-Version': '1.0.3', Authorization: auth, ...(headers as Record<string, string>) },
      // older browsers have no timeout, and give up by themselves
      signal: (AbortSignal as { timeout?: typeof AbortSignal.timeout }).timeout?.(60_000),
      ...init,
    })
    const offset = Math.round((Date.parse(response.headers.get('Date') ?? '') - Date.now()) / 1000)
    clockOffset = Math.abs(offset) > tolerated ? offset : 0
    return response
  }
  const whose = (of: Launch): string => JSON.stringify([of.endpoint, of.actor, of.activityId])
  /** A launch that was found may have been renewed, for the same learner and game; one that was given cannot be. */
  async function renew(): Promise<boolean> {
    const next = options.launch ? undefined : await readLaunch()
    if (!next || next.auth === auth || whose(next) !== whose(launch!)) return false
    auth = next.auth
    return true
  }
  let consent = options.consent ?? true
  let full = false
  const tell =
    options.onError ?? ((error) => console.error(`games-lrs: ${error.status} ${error.message}`, error.statement ?? ''))
  // what the game's own function throws is the game's, and stops nothing here
  const onError = (error: LrsError): void => queueMicrotask(() => tell(error))
  // a unit of cmi5 reports in its own session only: nothing waits for the next one
  const queue = cmi5 ? inMemory() : await openQueue(`${endpoint} ${JSON.stringify(actor) ?? auth}`)
  const { flushAfter = 5_000, flushAt = 20 } = options
  const sending = sender({ request, queue, renew, flushAfter, flushAt, onError })

  const hidden = (): void => {
    if (document.visibilityState === 'hidden') sending.last()
  }
  const online = (): void => void sending.flush()
  const message = ({ source, data }: MessageEvent<{ type?: unknown } | null>): void => {
    if (source !== window.parent || source === window) return
    if (data?.type === 'xapi-pause' || data?.type === 'xapi-resume') options.onPause?.(data.type === 'xapi-pause')
  }
  const inPage = globalThis.document !== undefined
  if (inPage) {
    addEventListener('message', message)
    addEventListener('pagehide', sending.last)
    document.addEventListener('visibilitychange', hidden)
    addEventListener('online', online)
  }
  // what an earlier page left
  if (consent) void sending.flush()
  else await sending.clear()

  const idOf = (activity: Activity = activityId): string =>
    idBelow(activityId, typeof activity === 'string' ? activity : activity.id)
  async function isFull(): Promise<boolean> {
    const before = full
    full = (await queue.count()) >= mostWaiting
    if (full && !before)
      onError(new LrsError(0, `${mostWaiting} statements wait: later ones are lost until some are sent`))
    return full
  }
  const { debug = isDebug() } = options
  const told = new Set<string>()
  /** Tells each mistake once. */
  function check(statement: Statement): void {
    for (const mistake of mistakesOf(statement)) {
      if (!told.has(mistake)) onError(new LrsError(0, mistake, statement))
      told.add(mistake)
    }
  }
  /** What every statement tells of its game and machine; `revision` and `platform` are for activities only. */
  function contextOf(given: Record<string, unknown> = {}, ofActivity: boolean): Record<string, unknown> {
    const named = globalThis.navigator?.language ?? Intl.DateTimeFormat().resolvedOptions().locale
    // Chromium may say en-US@posix, and the service refuses what is no language tag
    const [language] = /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3})\b)?/i.exec(named) ?? ['und']
    return {
      ...(registration && { registration }),
      ...(ofActivity && options.version && { revision: options.version }),
      ...(ofActivity && { platform: inPage ? 'Web' : (inNode?.platform ?? 'Web') }),
      language,
      ...given,
      extensions: {
        [`${extensions}client`]: clientName,
        ...(options.engine && { [`${extensions}engine`]: options.engine }),
        ...(clockOffset !== 0 && { [`${extensions}clock-offset`]: clockOffset }),
        ...(given['extensions'] as object),
      },
    }
  }
  async function send(given: Statement): Promise<string | undefined> {
    if (debug) check(given)
    if (!consent || (await isFull())) return undefined
    const { id = uuid(), timestamp = new Date().toISOString(), object, result, context, ...others } = given
    const { objectType = 'Activity', id: thing } = (object ?? {}) as { objectType?: string; id?: string }
    const ofActivity = objectType === 'Activity'
    const ofGame = ofActivity && idOf(thing) === activityId
    if (cmi5 && ofGame && saidByPage(given.verb.id, result && resultOf(result))) return undefined
    const own = contextOf(context, ofActivity)
    const complete = {
      id,
      ...(actor && { actor }),
      ...others,
      object: ofActivity ? { ...object, id: idOf(thing) } : object,
      timestamp,
      ...(result && { result: resultOf(result) }),
      context: cmi5 ? inTemplate(cmi5.contextTemplate, own) : own,
    }
    await sending.add(id, JSON.stringify(complete))
    return id
  }
  const say =
    (verb: Verb): Say =>
    (activity, given = {}) => {
      const { name, type } = typeof activity === 'object' ? activity : {}
      const definition = { ...(name && { name: { und: name } }), ...(type && { type: typeOf(type) }) }
      const result = { ...implied[verb], ...(typeof given === 'number' ? numbered(verb, given) : given) }
      return send({
        verb: { id: verbs[verb], display: { en: verb } },
        object: {
          id: typeof activity === 'object' ? activity.id : activity,
          ...(Object.keys(definition).length > 0 && { definition }),
        },
        ...(Object.keys(result).length > 0 && { result }),
      })
    }
  /** The player around the page shows the result as soon as it is stored. */
  async function tellEnd(): Promise<void> {
    await sending.flush()
    if (inPage && window.parent !== window) window.parent.postMessage({ type: 'xapi-ended' }, '*')
  }
  const of = (resource: string, idName: string, parameters: Record<string, string>): Documents =>
    documents(request, resource, idName, parameters)
  const agent = JSON.stringify(actor)

  return {
    launched: true,
    launch,
    send,
    flush: sending.flush,
    pending: () => queue.count(),
    async setConsent(granted) {
      consent = granted
      if (!granted) await sending.clear()
    },
    ...eachVerb(say),
    async terminated(activity, result) {
      const id = await say('terminated')(activity, result)
      if (id !== undefined) void tellEnd()
      return id
    },
    state: (activity) => of('activities/state', 'stateId', { activityId: idOf(activity), agent }),
    activityProfile: (activity) => of('activities/profile', 'profileId', { activityId: idOf(activity) }),
    agentProfile: () => of('agents/profile', 'profileId', { agent }),
    async close() {
      await sending.flush()
      sending.close()
      if (!inPage) return
      removeEventListener('message', message)
      removeEventListener('pagehide', sending.last)
      document.removeEventListener('visibilitychange', hidden)
      removeEventListener('online', online)
    },
  }
}

/** Version 4. Not `crypto.randomUUID`, which pages without https do not have. */
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const eachVerb = (say: (verb: Verb) => Say): Record<Verb, Say> =>
  Object.fromEntries(Object.keys(verbs).map((verb) => [verb, say(verb as Verb)])) as Record<Verb, Say>

/** What a verb says by itself. */
const implied: Partial<Record<Verb, Result>> = {
  completed: { completion: true },
  passed: { success: true },
  failed: { success: false },
}
const numbered = (verb: Verb, number: number): Result =>
  verb === 'progressed' ? { progress: number } : { score: number }

function resultOf({ score, progress, extensions, ...result }: Result): object {
  const all = { ...(progress !== undefined && { [progressExtension]: progress }), ...extensions }
  return {
    ...result,
    ...(score !== undefined && { score: typeof score === 'number' ? { scaled: score } : score }),
    ...(Object.keys(all).length > 0 && { extensions: all }),
  }
}

/** Of a game without a launch context. */
function unlaunched(): Client {
  const none = async (): Promise<undefined> => {}
  const documents = (): Documents => ({ get: none, put: none, merge: none, remove: none, list: async () => [] })
  return {
    ...eachVerb(() => none),
    launched: false,
    launch: undefined,
    send: none,
    flush: none,
    pending: async () => 0,
    setConsent: none,
    state: documents,
    activityProfile: documents,
    agentProfile: documents,
    close: none,
  }
}

/** The Authorization of a server: never in a game that players can read. */
export const basic = (key: string, secret: string): string => `Basic ${btoa(`${key}:${secret}`)}`
