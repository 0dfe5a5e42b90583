import type { HandlerContext } from '@connectrpc/connect'
import { expect, test } from 'vitest'
import { QuotaService } from '../../gen/lrs/v1/quotas_pb.js'
import { RetentionService } from '../../gen/lrs/v1/retention_pb.js'
import type { Core } from '../context.ts'
import { method, protocol, service, type Methods } from './declaration.ts'
import { reads } from './services/audit-entries.ts'

const quotas: Methods<typeof QuotaService> = {
  listLimits: method({ who: ['anybody'], right: 'public', audit: reads }, () => ({})),
  getUsage: method({ right: 'analyst', token: 'read', audit: reads }, () => ({})),
  getStudioUsage: method({ right: 'admin', audit: reads }, () => ({})),
  setQuota: method({ right: 'admin', token: ['read', 'games'], audit: 'studio.set-quota' }, () => ({ limit: 1n })),
  setGameQuota: method({ right: 'none', audit: { action: 'game.set-quota' } }, () => ({})),
}

test('what a declaration leaves out has the narrow meaning', () => {
  const { methods } = service(QuotaService, quotas)
  const told = methods.map(({ method, who, right, tokens }) => [method.name, who.join(), right, tokens.join()])
  expect(told).toEqual([
    ['ListLimits', 'anybody', 'public', ''],
    ['GetUsage', 'portal,admin', 'analyst', 'read'],
    ['GetStudioUsage', 'portal,admin', 'admin', ''],
    ['SetQuota', 'portal,admin', 'admin', 'read,games'],
    ['SetGameQuota', 'admin', 'none', ''],
  ])
  expect(methods.map(({ audit }) => audit).slice(3)).toEqual([
    { action: 'studio.set-quota' },
    { action: 'game.set-quota' },
  ])
})

test('a protocol has one policy for all of its methods', () => {
  const { methods } = protocol(RetentionService, { who: ['anybody'], right: 'none', audit: reads })
  expect(methods.map(({ who, run }) => [...who, run])).toEqual(
    RetentionService.methods.map(() => ['anybody', undefined]),
  )
})

test('a message without fields is answered whatever a handler returns', async () => {
  const setRetention = method<(typeof RetentionService)['method']['setRetention']>(
    { right: 'developer', audit: 'game.set-retention' },
    async () => {},
  )
  const rest = method({ right: 'developer', audit: reads }, () => ({}))
  const { methods } = service(RetentionService, { getRetention: rest, previewRetention: rest, setRetention })
  expect(await methods[2]!.run!({} as Core, {}, {} as HandlerContext)).toEqual({})
})

test('what does not fit its service does not compile', () => {
  const { setQuota, ...others } = quotas
  // @ts-expect-error a method is missing
  service(QuotaService, others)
  // @ts-expect-error a method is unknown
  expect(() => service(QuotaService, { ...quotas, setLimit: setQuota })).toThrow(TypeError)
  // @ts-expect-error the method of another service
  service(QuotaService, { ...others, setQuota: quotas.getUsage, setGameQuota: setQuota })
  // @ts-expect-error nothing is said of the audit log
  service(QuotaService, { ...others, setQuota: method({ right: 'admin' }, () => ({})) })
  // @ts-expect-error no answer, although its message has fields
  service(QuotaService, { ...others, setQuota: method({ right: 'admin', audit: reads }, async () => {}) })
  // @ts-expect-error the answer of another method
  service(QuotaService, { ...others, setQuota: method({ right: 'admin', audit: reads }, () => ({ usage: [] })) })
})
