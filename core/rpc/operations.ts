import { getAttachment, storeWithAttachments } from './attachments.ts'
import { documentOperations } from './documents.ts'
import { follow } from './follow.ts'
import type { Operation } from './operation.ts'
import { readOperations } from './read-statements.ts'
import { store } from './store-statements.ts'
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
