import type { ServiceImpl } from '@connectrpc/connect'
import type { InsightService } from '../../gen/lrs/v1/insights_pb.js'
import type { Core } from '../context.ts'

export function insightService(_core: Core): Partial<ServiceImpl<typeof InsightService>> {
  return {}
}
