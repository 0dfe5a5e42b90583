import { Reason } from '../gen/lrs/v1/failure_pb.js'
import { paths } from '../shared/rest.ts'
import type { Exchange, GatewayContext, Handler } from './context.ts'
import { beginExchange, end } from './ended.ts'
import { refusalAnswer } from './http/answer.ts'
import { HttpRefusal, refusal } from './http/failure.ts'
import { anyMethod, preflight } from './http/methods.ts'
import type { Resource } from './resource.ts'

const { about, ...others } = paths
const unknownPath =
  `There is nothing at this path; the resources are ${Object.values(others).toSorted().join(', ')} and ${about}, ` +
  'without a slash at the end'

/** The answer to a request that a stage of serve.ts refused, or that failed. */
export async function refuse(error: unknown, exchange: Exchange, { path }: Resource, gateway: GatewayContext) {
  const { effective, requestId, action, caller } = exchange
  const cause = error instanceof HttpRefusal ? error : refusal(Reason.INTERNAL)
  if (cause !== error) gateway.log.error({ err: error, requestId, method: effective.method, path }, 'failed')
  exchange.refusal = cause
  // core accepted the credential if it refused for another reason
  const known = cause.status !== 401 && cause.status < 500 ? caller : undefined
  return refusalAnswer(cause, await action?.refusalHeaders?.(gateway.relay, known))
}

/** The handler of all paths without a resource. */
export function serveUnknownPath(gateway: GatewayContext): Handler {
  return serveRefusal(gateway, refusal(Reason.NOT_FOUND, unknownPath))
}

/** The handler of requests whose Expect header is not `100-continue` (RFC 9110 10.1.1). */
export function serveExpectation(gateway: GatewayContext): Handler {
  return serveRefusal(
    gateway,
    new HttpRefusal(417, { message: 'Expect: must be 100-continue, or omitted', path: 'Expect' }),
  )
}

function serveRefusal(gateway: GatewayContext, cause: HttpRefusal): Handler {
  return async (request, response) => {
    const { method, url = '', headers } = request
    const exchange = beginExchange(request, response)
    // browsers hide from a game why a preflight was refused, so the request after it gets the refusal
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    if (!isPreflight) exchange.refusal = cause
    const answer = isPreflight ? preflight(anyMethod) : refusalAnswer(cause)
    const path = shortPath(url)
    await end(gateway, exchange, { name: 'other', path, open: path.startsWith('/xapi') ? undefined : true }, answer)
  }
}

/** An unknown path without its query, which may hold secrets. */
function shortPath(target: string): string {
  return target.split('?', 1)[0]!.slice(0, 100)
}
