import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveMetrics } from '../shared/metrics/serve.ts'
import { webMeters } from '../shared/metrics/web-meters.ts'
import { startSystem, type System } from './support/system.ts'
import { statement, statements } from './support/statements.ts'

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.close())

/** What Prometheus gets. */
async function textOf(metrics: Registry): Promise<string> {
  const server = await serveMetrics(metrics, { host: '127.0.0.1', port: 0 })
  try {
    const response = await fetch(`http://127.0.0.1:${server.port}/metrics`)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(404)
    return await response.text()
  } finally {
    server.close()
  }
}

/** The lines that are scraped, by name and labels. */
async function scrape(metrics: Registry): Promise<Map<string, number>> {
  const lines = (await textOf(metrics)).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

describe('a core and a gateway tell', () => {
  test('what was asked, with which outcome, and what was stored', async () => {
    const game = await system.game()
    const xapi = game.xapi()
    const batch = statements(5)
    expect((await xapi.post(batch)).status).toBe(200)
    expect((await xapi.post([])).status).toBe(200)
    expect((await xapi.post({ nonsense: true })).status).toBe(400)
    expect((await xapi.get({ nonsense: '1' })).status).toBe(400)
    const core = await scrape(system.cores[0]!.metrics)
    expect(core.get('lrs_core_calls_total{operation="StoreStatements",way="relay",outcome="ok"}')).toBe(2)
    expect(core.get('lrs_core_calls_total{operation="StoreStatements",way="relay",outcome="invalid"}')).toBe(1)
    expect(core.get('lrs_core_call_seconds_count{operation="StoreStatements",way="relay"}')).toBe(3)
    expect(core.get('lrs_core_calls_total{operation="CreateGame",way="rpc",outcome="ok"}')).toBe(1)
    expect(core.get('lrs_core_statements_total{outcome="stored"}')).toBe(5)
    expect(core.get('lrs_core_group_statements_sum{cell="1"}')).toBe(5)
    expect(core.get('lrs_core_group_rows_sum{cell="1"}')).toBeGreaterThanOrEqual(5)
    expect(core.get('lrs_core_pool_connections_max')).toBe(10)
    expect(core.get('lrs_core_watermark_lag_seconds')).toBeLessThan(30)
    const gateway = await scrape(system.gateways[0]!.metrics)
    expect(gateway.get('lrs_gateway_requests_total{route="/xapi/statements",method="POST",status="200"}')).toBe(2)
    expect(gateway.get('lrs_gateway_requests_total{route="/xapi/statements",method="POST",status="400"}')).toBe(1)
    expect(gateway.get('lrs_gateway_refusals_total{reason="invalid",by="core"}')).toBe(1)
    expect(gateway.get('lrs_gateway_refusals_total{reason="invalid",by="gateway"}')).toBe(1)
    expect(gateway.get('lrs_gateway_cores{state="connected"}')).toBe(1)
    expect(gateway.get('lrs_gateway_relay_calls')).toBe(0)
    expect(gateway.get('process_resident_memory_bytes')).toBeGreaterThan(0)
  })

  test('the end of a stream: refused, or with its first message', async () => {
    const game = await system.game()
    // this version does not exist
    const [refused, good] = [game.rpc(0, '9.9.9'), game.rpc()]
    const first = async ({ statements: service }: typeof good) => {
      for await (const _ of service.follow({ start: { case: 'fromNow', value: true } })) return
    }
    await expect(first(refused)).rejects.toThrow()
    await first(good)
    const core = await scrape(system.cores[0]!.metrics)
    expect(core.get('lrs_core_calls_total{operation="Follow",way="rpc",outcome="invalid"}')).toBe(1)
    expect(core.get('lrs_core_calls_total{operation="Follow",way="rpc",outcome="ok"}')).toBe(1)
  })

  test('statements that were sent again, as skipped', async () => {
    const xapi = (await system.game()).xapi()
    const skipped = async () =>
      (await scrape(system.cores[0]!.metrics)).get('lrs_core_statements_total{outcome="skipped"}') ?? 0
    const one = statement()
    await xapi.post(one)
    const before = await skipped()
    await xapi.post(one)
    expect(await skipped()).toBe(before + 1)
  })

  test.each(['ops/prometheus/alerts.yml', 'ops/grafana/games-lrs.json'])(
    'every metric that %s asks for',
    async (file) => {
      const registries = [
        system.cores[0]!.metrics,
        system.gateways[0]!.metrics,
        webMeters('portal').registry,
        webMeters('player').registry,
      ]
      const told = (await Promise.all(registries.map(textOf))).join('\n')
      const types = [...told.matchAll(/^# TYPE (\S+) (\w+)$/gm)]
      const names = new Set(
        types.flatMap(([, name, type]) =>
          type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
        ),
      )
      const asked = new Set(
        readFileSync(resolve(import.meta.dirname, '..', file), 'utf8').match(/\b(?:lrs|process|nodejs)_\w+/g),
      )
      expect(asked.size).toBeGreaterThan(8)
      expect([...asked].filter((name) => !names.has(name))).toEqual([])
    },
  )

  test('nothing of who asked: no ids, keys or addresses in labels, and labels stay few', async () => {
    const game = await system.game()
    for (let n = 0; n < 50; n++)
      await fetch(`${system.urls[0]}/xapi/${n}/secret-${n}`, { method: n % 2 ? 'GET' : 'PROPFIND' })
    const series = [...(await scrape(system.gateways[0]!.metrics)).keys()]
    const lines = series.join('\n')
    expect(series.filter((name) => name.startsWith('lrs_gateway_requests_total')).length).toBeLessThan(20)
    expect(lines).not.toContain('secret-')
    expect(lines).not.toContain(game.key)
    expect(lines).toContain('route="other"')
  })
})
