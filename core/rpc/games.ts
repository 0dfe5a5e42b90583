import type { ServiceImpl } from '@connectrpc/connect'
import type { GameService } from '../../gen/lrs/v1/games_pb.js'
import type { Core } from '../context.ts'

export function gameService(_core: Core): Partial<ServiceImpl<typeof GameService>> {
  return {}
}
