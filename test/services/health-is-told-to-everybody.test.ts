import { setTimeout as sleep } from 'node:timers/promises'
import { Code, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../../gen/grpc/health/v1/health_pb.js'
import { QuotaService } from '../../gen/lrs/v1/quotas_pb.js'
import { StatementService } from '../../gen/lrs/v1/statements_pb.js'
import { startServices, type Services } from './services.ts'

let { system, baseUrl } = {} as Services
beforeAll(async () => {
  ;({ system, baseUrl } = await startServices())
})
afterAll(() => system.close())

describe('health', () => {
  test('is told to everybody: Check on both ports, Watch on one', async () => {
    const health = createClient(Health, createGrpcTransport({ baseUrl }))
    expect((await health.check({})).status).toBe(ServingStatus.SERVING)
    for await (const { status } of health.watch({})) {
      expect(status).toBe(ServingStatus.SERVING)
      break
    }
    const relay = createClient(
      Health,
      createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.cores[0]!.relayPort}` }),
    )
    expect((await relay.check({})).status).toBe(ServingStatus.SERVING)
  })

  test('names every service, and knows no other: Check says NOT_FOUND, Watch SERVICE_UNKNOWN and stays', async () => {
    const health = createClient(Health, createGrpcTransport({ baseUrl }))
    const { statuses } = await health.list({})
    expect(Object.keys(statuses)).toEqual(
      expect.arrayContaining(['', StatementService.typeName, QuotaService.typeName, Health.typeName]),
    )
    for (const [service, { status }] of Object.entries(statuses)) {
      expect([service, status]).toEqual([service, ServingStatus.SERVING])
      expect((await health.check({ service })).status).toBe(ServingStatus.SERVING)
    }
    for (const service of ['lrs.v1.Nothing', 'lrs.v1', 'StatementService', '__proto__']) {
      await expect(health.check({ service })).rejects.toMatchObject({ code: Code.NotFound })
    }
    const stop = new AbortController()
    const watching = health.watch({ service: 'lrs.v1.Nothing' }, { signal: stop.signal })[Symbol.asyncIterator]()
    expect((await watching.next()).value?.status).toBe(ServingStatus.SERVICE_UNKNOWN)
    const ended = await Promise.race([
      watching.next().then(
        () => 'said more',
        () => 'ended',
      ),
      sleep(300, 'stays'),
    ])
    expect(ended).toBe('stays')
    stop.abort()
  })

  test('has at most 20 watchers of one address; a new one may come when one leaves', async () => {
    const health = createClient(Health, createGrpcTransport({ baseUrl }))
    const stop = new AbortController()
    const watch = async (signal: AbortSignal) => {
      const watching = health.watch({}, { signal })[Symbol.asyncIterator]()
      return (await watching.next()).value!.status
    }
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => watch(stop.signal)))
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(
      outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value === ServingStatus.SERVING).length +
        refused.length,
    ).toBe(30)
    // whoever watched before may have left only just now
    expect([10, 11]).toContain(refused.length)
    for (const { reason } of refused) expect(reason).toMatchObject({ code: Code.Unavailable })
    expect((await health.check({})).status).toBe(ServingStatus.SERVING)
    stop.abort()
    await expect.poll(() => watch(AbortSignal.timeout(5_000)).catch(() => undefined)).toBe(ServingStatus.SERVING)
  })

  test('of the gateway: alive and ready', async () => {
    for (const path of ['/healthz', '/readyz']) expect((await fetch(system.urls[0] + path)).status).toBe(200)
  })
})
