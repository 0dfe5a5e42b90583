import { once } from 'node:events'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { SettingError } from '../../shared/settings/kinds.ts'
import type { Work } from '../command.ts'
import { needPersonal } from '../need-personal.ts'
import { portalAddress } from '../send-upload.ts'

/** Passes messages of the Model Context Protocol between an assistant on this machine and the portal, until one ends. */
export const passOn: Work<{ readonly portal?: string }> = async (session, { portal: given }) => {
  needPersonal(session)
  const portal = portalAddress(session, given)
  if (!portal) throw new SettingError('Name the address of the portal with --portal <url>, or LRS_PORTAL_URL.')
  const headers = { authorization: `Bearer ${session.config().token}` }
  const there = new StreamableHTTPClientTransport(new URL('/mcp', portal), { requestInit: { headers } })
  const here = new StdioServerTransport()
  const over = new AbortController()
  Object.assign(here, {
    onmessage: (message: JSONRPCMessage) =>
      void there.send(message).catch((error: Error) => here.send(failed(message, error))),
  })
  Object.assign(there, {
    onmessage(message: JSONRPCMessage) {
      const { protocolVersion } = ('result' in message ? message.result : {}) as { protocolVersion?: string }
      if (protocolVersion !== undefined) there.setProtocolVersion(protocolVersion)
      void here.send(message)
    },
  })
  await there.start()
  await here.start()
  process.stdin.once('end', () => over.abort())
  const ending = AbortSignal.any([session.ending, over.signal])
  if (!ending.aborted) await once(ending, 'abort')
  await there.close()
  await here.close()
}

/** What an assistant gets when the portal did not answer. */
const failed = (message: JSONRPCMessage, { message: why }: Error): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id: 'id' in message && message.id !== undefined ? message.id : 0,
  error: { code: -32_000, message: why },
})
