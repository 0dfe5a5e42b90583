import { createContextKey } from '@connectrpc/connect'

/** The key of why the way in refused the Authorization of a call; undefined: it did not. */
export const refusedKey = createContextKey<unknown>(undefined)
