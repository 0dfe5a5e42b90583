import {
  Code,
  ConnectError,
  createConnectRouter,
  type ConnectRouter,
  type ConnectRouterOptions,
  type ContextValues,
} from '@connectrpc/connect'
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from '@connectrpc/connect-node'
import type { UniversalServerRequest } from '@connectrpc/connect/protocol'
import type { DescMethod } from '@bufbuild/protobuf'
import type { Logger } from 'pino'
import { isJson, jsonOptions, readTexts, takingTexts } from './json-messages.ts'

type NodeRequest = Parameters<typeof universalRequestFromNodeRequest>[0]
type NodeResponse = Parameters<typeof universalResponseToNodeResponse>[1]

interface AdapterOptions<From> extends ConnectRouterOptions {
  routes: (router: ConnectRouter) => void
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
  const binary = createConnectRouter({ ...options, jsonOptions })
  routes(binary)
  const json = createConnectRouter({ ...options, jsonOptions, interceptors: [readTexts, ...interceptors] })
  routes(takingTexts(json))
  const [binaryHandlers, jsonHandlers] = [binary, json].map(
    ({ handlers }) => new Map(handlers.map((handler) => [handler.requestPath, handler])),
  )
  return (request: NodeRequest, response: NodeResponse, from: From): void => {
    const handlers = isJson(request.headers['content-type']) ? jsonHandlers! : binaryHandlers!
    const handler = handlers.get(request.url!.split('?', 1)[0]!)
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
