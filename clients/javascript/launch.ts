import type { Cmi5 } from './cmi5.ts'

/** What the player hands to a game: everything that it needs to report. */
export interface Launch {
  /** Of xAPI, with or without a slash at its end. */
  readonly endpoint: string
  /** The complete value of the Authorization header. */
  readonly auth: string
  /** The learner; the service puts in the token's, whatever is sent. */
  readonly actor?: object
  /** UUID of this session. */
  readonly registration?: string
  /** IRI of the game. */
  readonly activityId?: string
  /** A learning management system has launched the game as a unit of cmi5. */
  readonly cmi5?: Cmi5
}

/**
 * The launch context of this page: from its query string (as in TinCan and ADL launch), else from launch.json with the
 * session that its fragment names, else by message from the page around. In Node, and in a page of Electron or NW.js that
 * has Node: from the file that XAPI_LAUNCH_FILE names or else launch.json in the folder where it starts, else from
 * XAPI_ENDPOINT and so on. Undefined: there is none.
 * @param patience milliseconds to wait for the message
 */
export async function readLaunch(patience = 500): Promise<Launch | undefined> {
  if (globalThis.location === undefined) return fromProcess()
  const given = launchOf(Object.fromEntries(new URLSearchParams(location.search)))
  if (given) return given
  const session = new URLSearchParams(location.hash.split('?')[1]).get('session')
  const headers = { Authorization: `Bearer ${session}` }
  const asked = session === null ? undefined : fetch('launch.json', { headers })
  const fetched = await asked?.then((response) => response.json()).catch(() => undefined)
  return launchOf(fetched) ?? (window.parent === window ? fromProcess() : byMessage(patience))
}

type Require = (name: 'node:fs') => { readFileSync(path: string, encoding: 'utf8'): string }
interface Process {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly versions?: { readonly node?: string }
  /** Missing in older versions of Electron and NW.js, which have a global `require`. */
  readonly getBuiltinModule?: Require
}

function fromProcess(): Launch | undefined {
  const { process, require } = globalThis as { process?: Process; require?: Require }
  // packers put a `process` without versions into pages
  if (!process?.versions?.node) return undefined
  const { env } = process
  // the file first: `games-lrs sandbox` renews it, while variables stay as they were at the start
  const file = env['XAPI_LAUNCH_FILE'] ?? 'launch.json'
  try {
    const text = (process.getBuiltinModule ?? require!)('node:fs').readFileSync(file, 'utf8')
    if (text) return launchOf(JSON.parse(text))
  } catch {
    // the variables are left
  }
  const names = ['endpoint', 'auth', 'actor', 'registration', 'activity_id']
  return launchOf(Object.fromEntries(names.map((name) => [name, env[`XAPI_${name.toUpperCase()}`]])))
}

function byMessage(patience: number): Promise<Launch | undefined> {
  return new Promise((resolve) => {
    const receive = ({ source, data }: MessageEvent): void => {
      const launch = source === window.parent && data?.type === 'xapi-launch' ? launchOf(data) : undefined
      if (launch) finish(launch)
    }
    const finish = (launch?: Launch): void => {
      removeEventListener('message', receive)
      clearTimeout(late)
      resolve(launch)
    }
    const late = setTimeout(finish, patience)
    addEventListener('message', receive)
    window.parent.postMessage({ type: 'xapi-launch-request', cmi5: true }, '*')
  })
}

// oxlint-disable-next-line typescript/no-explicit-any
function launchOf(given: any): Launch | undefined {
  if (!given?.endpoint || !given.auth) return undefined
  const { endpoint, auth, actor, registration, activity_id: activityId, cmi5 } = given
  return {
    endpoint,
    auth,
    actor: typeof actor === 'string' ? agentOf(JSON.parse(actor)) : actor,
    registration,
    activityId,
    ...(typeof cmi5 === 'object' && { cmi5 }),
  }
}

/** TinCan launches send each identifier of the actor in a list. */
function agentOf(actor: Record<string, unknown>): object {
  const one = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)
  const account = one(actor['account']) as Record<string, unknown> | undefined
  const agent = Object.fromEntries(Object.entries(actor).map(([name, value]) => [name, one(value)]))
  if (account?.['accountServiceHomePage'])
    agent['account'] = { homePage: account['accountServiceHomePage'], name: account['accountName'] }
  return agent
}
