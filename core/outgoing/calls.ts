import type { Way } from './resolve.ts'
import { webCall, type OutgoingRequest } from './web-call.ts'

/** What the thread can do. */
export const callsOf = (way: Way) => ({
  web: (request: OutgoingRequest) => webCall(request, way),
})

export type Calls = ReturnType<typeof callsOf>
