import { openId } from './openid.ts'
import { mailCall, type OutgoingMail } from './mail-call.ts'
import type { Way } from './resolve.ts'
import { webCall, type OutgoingRequest } from './web-call.ts'

/** What the thread can do. */
export function callsOf(way: Way, mailSeconds: number) {
  const web = (request: OutgoingRequest) => webCall(request, way)
  const { address, person, examine } = openId(web, way.seconds)
  return {
    web,
    mail: (mail: OutgoingMail) => mailCall(mail, { ...way, seconds: mailSeconds }),
    openIdAddress: address,
    openIdPerson: person,
    openIdExamine: examine,
  }
}

export type Calls = ReturnType<typeof callsOf>
