import type { HandlerContext } from '@connectrpc/connect'
import { expect, test } from 'vitest'
import { Health } from '../../../gen/grpc/health/v1/health_pb.js'
import { RetentionService } from '../../../gen/lrs/v1/retention_pb.js'
import type { Core } from '../../context.ts'
import { method, protocol, service, type Methods } from './declaration.ts'
import { reads } from './audit-entries.ts'

// a service to which nobody adds methods
const health: Methods<typeof Health> = {
  check: method({ right: 'analyst', token: 'read', audit: reads }, () => ({})),
  watch: method({ who: ['anybody'], right: 'none', audit: 'store.watch' }, async function* () {}),
  list: method({ right: 'none', token: ['read', 'games'], audit: { action: 'store.list' } }, () => ({})),
}

test('what a declaration leaves out has the narrow meaning', () => {
  const { methods } = service(Health, health)
  const told = methods.map(({ method, who, right, tokens }) => [method.name, who.join(), right, tokens.join()])
  expect(told).toEqual([
    ['Check', 'portal,admin', 'analyst', 'read'],
    ['Watch', 'anybody', 'none', ''],
    ['List', 'admin', 'none', 'read,games'],
  ])
  expect(methods.map(({ audit }) => audit)).toEqual([reads, { action: 'store.watch' }, { action: 'store.list' }])
})

test('a protocol has one policy for all of its methods', () => {
  const { methods } = protocol(Health, { who: ['anybody'], right: 'none', audit: reads })
  expect(methods.map(({ who, run }) => [...who, run])).toEqual(Health.methods.map(() => ['anybody', undefined]))
})

test('a message without fields is answered whatever a handler returns', async () => {
  const setRetention = method<(typeof RetentionService)['method']['setRetention']>(
    { right: 'developer', audit: 'game.set-retention' },
    async () => {},
  )
  const { methods } = service(RetentionService, { setRetention } as unknown as Methods<typeof RetentionService>)
  expect(await methods[0]!.run!({} as Core, {}, {} as HandlerContext)).toEqual({})
})

test('what does not fit its service does not compile', () => {
  const { check, ...others } = health
  // @ts-expect-error a method is missing
  service(Health, others)
  // @ts-expect-error a method is unknown
  expect(() => service(Health, { ...health, other: check })).toThrow(TypeError)
  // @ts-expect-error another method
  service(Health, { ...others, check: health.list })
  // @ts-expect-error nothing is said of the audit log
  service(Health, { ...others, check: method({ right: 'admin' }, () => ({})) })
  // @ts-expect-error no answer, although its message has fields
  service(Health, { ...others, check: method({ right: 'admin', audit: reads }, async () => {}) })
  // @ts-expect-error the answer of another method
  service(Health, { ...others, check: method({ right: 'admin', audit: reads }, () => ({ statuses: {} })) })
})
