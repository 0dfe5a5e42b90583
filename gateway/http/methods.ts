import type { Action, Resource } from '../resource.ts'
import type { Answer } from './answer.ts'
import { HttpRefusal } from './failure.ts'

/** Methods that some resource has. */
export const anyMethod = 'GET, HEAD, POST, PUT, DELETE, OPTIONS'

/** Headers that games send. `*` would not include Authorization. */
const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'X-Experience-API-Version',
  'X-Experience-API-Hash',
  'If-Match',
  'If-None-Match',
  'Accept',
  'Accept-Language',
  'Content-Encoding',
  'X-Request-Id',
].join(', ')

/** The actions of a resource by method; HEAD does what GET does. */
export function actionsOf(resource: Resource): ReadonlyMap<string, Action> {
  const actions = new Map<string, Action>(Object.entries(resource.actions))
  const get = actions.get('GET')
  if (get !== undefined) actions.set('HEAD', get)
  return actions
}

/** The answer to OPTIONS. Throws an HttpRefusal: 405 for every other method that the resource does not have. */
export function answerOtherMethod(method: string, methods: string): Answer {
  if (method === 'OPTIONS') return preflight(methods)
  throw new HttpRefusal(405, { message: `This resource supports only ${methods}` }, ['Allow', methods])
}

/** The answer to a preflight request of CORS. */
export function preflight(methods: string): Answer {
  const headers = [
    'Access-Control-Allow-Methods',
    methods,
    'Access-Control-Allow-Headers',
    allowedHeaders,
    'Access-Control-Max-Age',
    '86400',
    'Allow',
    methods,
  ]
  return { status: 204, headers }
}
