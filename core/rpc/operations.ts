import { getAttachment, storeWithAttachments } from './services/attachments.ts'
import { documentOperations } from './services/documents.ts'
import { follow } from './services/follow.ts'
import type { Operation } from './operation.ts'
import { readOperations } from './services/read-statements.ts'
import { store } from './services/store-statements.ts'
import { openStream } from './store-stream.ts'

/** Operations of unary methods: services and the relay serve each of them by its declaration. */
export const operations: readonly Operation<never, object>[] = [store, ...readOperations, ...documentOperations]

/** Operations of methods with streams: services.ts and relay-attachments.ts serve each in its own way. */
export const streamed: readonly Pick<Operation<never, never>, 'method' | 'forPortal'>[] = [
  openStream,
  follow,
  storeWithAttachments,
  getAttachment,
]
