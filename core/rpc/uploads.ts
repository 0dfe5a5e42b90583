import type { ServiceImpl } from '@connectrpc/connect'
import type { UploadService } from '../../gen/lrs/v1/uploads_pb.js'
import type { Core } from '../context.ts'

export function uploadService(_core: Core): Partial<ServiceImpl<typeof UploadService>> {
  return {}
}
