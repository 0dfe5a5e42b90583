import type { ServiceImpl } from '@connectrpc/connect'
import type { LaunchService } from '../../gen/lrs/v1/launches_pb.js'
import type { Core } from '../context.ts'

export function launchService(_core: Core): Partial<ServiceImpl<typeof LaunchService>> {
  return {}
}
