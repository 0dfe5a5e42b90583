// For health checks of containers: `node start/healthy.ts gateway` exits with 0 if the gateway here can serve.
const [name = ''] = process.argv.slice(2)
const { CORE_PORT, GATEWAY_PORT, PORTAL_PORT, PLAYER_PORT } = process.env
const ports: Record<string, string> = {
  core: CORE_PORT || '8082',
  gateway: GATEWAY_PORT || '8080',
  portal: PORTAL_PORT || '8081',
  player: PLAYER_PORT || '8084',
}
const address = `http://127.0.0.1:${ports[name]}`
const signal = AbortSignal.timeout(4_000)

/** Core has no pages, so it is asked by the gRPC health service, over Connect. */
const answer =
  name === 'core'
    ? await fetch(`${address}/grpc.health.v1.Health/Check`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{}',
        signal,
      })
    : await fetch(`${address}/readyz`, { signal })
const said = await answer.text()
const isHealthy = answer.ok && (name !== 'core' || said.includes('"SERVING"'))
process.stdout.write(`${said}\n`)
process.exit(isHealthy ? 0 : 1)
