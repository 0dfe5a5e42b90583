// For health checks of containers: `node start/healthy.ts gateway` exits with 0 if the gateway here can serve.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as http, type IncomingMessage } from 'node:http'
import { request as https } from 'node:https'

const [name = ''] = process.argv.slice(2)
const { CORE_PORT, GATEWAY_PORT, PORTAL_PORT, PLAYER_PORT } = process.env
const ports: Record<string, string> = {
  core: CORE_PORT || '8082',
  gateway: GATEWAY_PORT || '8080',
  portal: PORTAL_PORT || '8081',
  player: PLAYER_PORT || '8084',
}
const port = ports[name]

/** Core has no pages, so it is asked by the gRPC health service, over Connect. */
const isCore = name === 'core'
const { CORE_TLS_CERT_FILE: cert, CORE_TLS_KEY_FILE: key } = process.env
const secure = isCore && cert && key
const options = {
  host: '127.0.0.1',
  port,
  path: isCore ? '/grpc.health.v1.Health/Check' : '/readyz',
  method: isCore ? 'POST' : 'GET',
  headers: isCore ? { 'Content-Type': 'application/json' } : {},
  signal: AbortSignal.timeout(4_000),
}
// it asks the process beside it, whose certificate has another name, and shows the same certificate
const asked = secure
  ? https({ ...options, cert: readFileSync(cert), key: readFileSync(key), rejectUnauthorized: false })
  : http(options)
const [answer] = (await once(asked.end(isCore ? '{}' : undefined), 'response')) as [IncomingMessage]
const said = Buffer.concat(await answer.toArray()).toString()
const isHealthy = answer.statusCode === 200 && (!isCore || said.includes('"SERVING"'))
process.stdout.write(`${said}\n`)
process.exit(isHealthy ? 0 : 1)
