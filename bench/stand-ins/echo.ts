// StatementService that answers a store at once, on the stack and with the bounds of core: what the stack costs by itself.
import { createServer } from 'node:http2'
import type { ConnectRouter } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { http2Bounds } from '../../core/rpc/http2-bounds.ts'
import { StatementService } from '../../gen/lrs/v1/statements_pb.js'
import { stopWithParent } from '../../shared/process/with-parent.ts'

const id = '00000000-0000-4000-8000-000000000001'
const ids = Array.from({ length: Number(process.env['ECHO_IDS']) }, () => id)
const routes = (router: ConnectRouter) => router.service(StatementService, { storeStatements: () => ({ ids }) })
const server = createServer({ settings: { maxConcurrentStreams: 256 }, ...http2Bounds }, connectNodeAdapter({ routes }))
server.listen(Number(process.env['CORE_PORT']), '127.0.0.1')
stopWithParent(async () => void server.close())
process.once('SIGTERM', () => process.exit(0))
