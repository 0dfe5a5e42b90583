import type { ServiceImpl } from '@connectrpc/connect'
import type { AccountService } from '../../gen/lrs/v1/accounts_pb.js'
import type { Core } from '../context.ts'

export function accountService(_core: Core): Partial<ServiceImpl<typeof AccountService>> {
  return {}
}
