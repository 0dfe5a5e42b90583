import express, { Router, type Request, type Response } from 'express'
import { assistants as limits } from '../../shared/limits.ts'
import { addressesOf } from '../web/addresses.ts'
import { tokenClients } from '../web/core-client.ts'
import { failureIn, statusOf } from '../web/failure.ts'
import type { Portal } from '../web/visit.ts'

/**
 * The Model Context Protocol (MCP) over streamable HTTP, without sessions: each request stands for itself. Its packages
 * are read at the first request, so that the portal starts at once.
 */
export function assistantEndpoint(portal: Portal): Router {
  const clientOf = tokenClients(portal.config, portal.log)

  async function post(request: Request, response: Response): Promise<void> {
    const { origin, authorization = '' } = request.headers
    if (origin !== undefined && origin !== addressesOf(portal.config, request).portal)
      return refuse(response, 403, 'A page of another origin may not ask.')
    const token = /^Bearer (lrspt_\w{1,100})$/i.exec(authorization)?.[1]
    if (token === undefined) return refuse(response, 401, noToken)
    const core = clientOf(token)
    try {
      await core.accounts.getAccount({})
    } catch (error) {
      const failure = failureIn(error)
      return refuse(response, statusOf(failure), failure.message)
    }
    const [{ assistantServer }, { StreamableHTTPServerTransport }] = await Promise.all([
      import('./server.ts'),
      import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
    ])
    const server = assistantServer(core)
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
    response.once('close', () => void server.close())
    await server.connect(transport)
    await transport.handleRequest(request, response, request.body)
  }

  return Router()
    .post('/mcp', express.json({ limit: limits.body }), post)
    .all('/mcp', (_request, response) => {
      response.set('Allow', 'POST')
      refuse(response, 405, 'Only POST is served: there are no sessions, and no stream.')
    })
}

const noToken =
  'Send the header "Authorization: Bearer" with a personal token. It needs the scope read; make one in the portal.'

function refuse(response: Response, status: number, message: string): void {
  if (status === 401) response.set('WWW-Authenticate', 'Bearer')
  response.status(status).json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null })
}
