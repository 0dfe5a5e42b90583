import { mailCall, type OutgoingMail } from './mail-call.ts'
import type { Way } from './resolve.ts'
import { webCall, type OutgoingRequest } from './web-call.ts'

/** What the thread can do. */
export const callsOf = (way: Way, mailSeconds: number) => ({
  web: (request: OutgoingRequest) => webCall(request, way),
  mail: (mail: OutgoingMail) => mailCall(mail, { ...way, seconds: mailSeconds }),
})

export type Calls = ReturnType<typeof callsOf>
