import type { CoreClient } from './core-client.ts'
import { startMailServer, type MailServer, type ReceivedMail } from './mail-server.ts'
import { startSystem, tokens, type System } from './system.ts'
import { bearer } from './xapi.ts'

export const senderIp = '192.0.2.7'
export const password = 'correct horse battery'
/** The code of the link in a mail. */
export const codeOf = (mail: ReceivedMail): string => new URL(mail.links[0]!).searchParams.get('code')!

/** A system that sends mails, and the server that gets them. */
export interface Mailed {
  readonly mailServer: MailServer
  readonly system: System
  /** Core as the portal calls it for a visitor who is not signed in. */
  readonly guest: CoreClient
  as(session: string): CoreClient
  /** A verified account with a studio, made as people make one. */
  member(email: string): Promise<{ session: string; known: string }>
  close(): Promise<void>
}

export async function startMailed(): Promise<Mailed> {
  const mailServer = await startMailServer()
  const system = await startSystem({ gateways: 0, mail: mailServer.config('https://portal.example') })
  const guest = system.connections[0]!.as(bearer(tokens.portal))
  return {
    mailServer,
    system,
    guest,
    as: (session) => system.connections[0]!.as(bearer(tokens.portal), { 'x-lrs-session': session }),
    async member(email) {
      await guest.accounts.signUp({ email, password, studioName: 'Blue Fox', senderIp })
      const code = codeOf(await mailServer.next(email, /Confirm/))
      return guest.links.confirmSignUp({ code, password, senderIp })
    },
    async close() {
      await system.close()
      await mailServer.close()
    },
  }
}
