import {
  Code,
  ConnectError,
  createConnectRouter,
  type ConnectRouter,
  type ConnectRouterOptions,
  type ContextValues,
} from '@connectrpc/connect'
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from '@connectrpc/connect-node'
import type { UniversalHandler, UniversalServerRequest } from '@connectrpc/connect/protocol'
import type { DescMethod } from '@bufbuild/protobuf'
import type { Logger } from 'pino'
import { isJson, jsonOptions, readTexts, takingTexts } from './json-messages.ts'

type NodeRequest = Parameters<typeof universalRequestFromNodeRequest>[0]
type NodeResponse = Parameters<typeof universalResponseToNodeResponse>[1]

interface AdapterOptions<From> extends ConnectRouterOptions {
  /** Each takes one service, by its name. */
  routes: ReadonlyMap<string, (router: ConnectRouter) => void>
  contextValues: (request: NodeRequest, from: From) => ContextValues
  /** Changes a request of a game before Connect reads it. */
  change: (request: UniversalServerRequest, method: DescMethod, game: number) => UniversalServerRequest
  log: Logger
}

/**
 * Works like connectNodeAdapter(), but reports failures to the log instead of the console. If the caller has gone, it
 * reports them at level debug.
 */
export function connectAdapter<From extends { readonly game: number }>({
  routes,
  contextValues,
  change,
  log,
  ...options
}: AdapterOptions<From>) {
  const { interceptors = [] } = options
  /** By form and service: the handlers by path. The first call of a service makes them, because few are called. */
  const made = new Map<string, Map<string, UniversalHandler>>()
  function handlerOf(path: string, json: boolean): UniversalHandler | undefined {
    const service = path.slice(1, path.lastIndexOf('/'))
    const route = routes.get(service)
    if (!route) return undefined
    const key = `${json} ${service}`
    if (!made.has(key)) {
      const inner = json ? [readTexts, ...interceptors] : interceptors
      const router = createConnectRouter({ ...options, jsonOptions, interceptors: inner })
      route(json ? takingTexts(router) : router)
      made.set(key, new Map(router.handlers.map((handler) => [handler.requestPath, handler])))
    }
    return made.get(key)!.get(path)
  }
  return (request: NodeRequest, response: NodeResponse, from: From): void => {
    const handler = handlerOf(request.url!.split('?', 1)[0]!, isJson(request.headers['content-type']))
    if (!handler) {
      response.writeHead(404)
      response.end()
      return
    }
    const universal = universalRequestFromNodeRequest(request, response, undefined, contextValues(request, from))
    handler(change(universal, handler.method, from.game))
      .then((answer) => universalResponseToNodeResponse(answer, response))
      .catch((reason: unknown) => {
        const error = ConnectError.from(reason)
        const gone = response.destroyed || error.code === Code.Aborted || error.rawMessage.includes('EPIPE')
        log[gone ? 'debug' : 'error']({ call: handler.requestPath, err: error }, 'an answer did not reach its caller')
      })
  }
}
