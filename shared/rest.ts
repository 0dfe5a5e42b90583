/** Paths of the resources of xAPI. */
export const paths = {
  statements: '/xapi/statements',
  agents: '/xapi/agents',
  activities: '/xapi/activities',
  state: '/xapi/activities/state',
  activityProfile: '/xapi/activities/profile',
  agentProfile: '/xapi/agents/profile',
  /** No resource of the standard: documents that the studio wrote for its game. */
  gameDocument: '/xapi/games/document',
  about: '/xapi/about',
} as const

/** Kinds of operations on a resource: the method, and the status of success. */
const verbs = {
  store: { method: 'POST', status: 200 },
  put: { method: 'PUT', status: 204 },
  merge: { method: 'POST', status: 204 },
  read: { method: 'GET', status: 200 },
  look: { method: 'HEAD', status: 200 },
  remove: { method: 'DELETE', status: 204 },
} as const

export type XapiVerb = keyof typeof verbs
/** Names what an operation does, for instance `merge state`; core notes its calls by these names. */
export type XapiAction = `${XapiVerb} ${keyof typeof paths}`

interface RestRequest {
  /** Method and path, without parameters. */
  readonly request: string
  /** Status of an accepted request. */
  readonly status: number
}

const all = Object.entries(verbs).flatMap(([verb, { method, status }]) =>
  Object.entries(paths).map(([name, path]) => [`${verb} ${name}`, { request: `${method} ${path}`, status }] as const),
)
const requests = new Map<string, RestRequest>(all)

/** The HTTP request that an action stands for: what games send, and what their studios see. */
export const restOf = (action: XapiAction): RestRequest => requests.get(action)!
