import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a ticket is for: one for another purpose is worth nothing. */
export type TicketPurpose = 'second step' | 'add a passkey' | 'passkey of a session' | 'passkey of a guest'

/**
 * Values that are valid for minutes. Core signs them in place of keeping them, so nobody fills the database with them.
 * @param signingKeys the keys of launch tokens; keys of tickets are derived from them: the first one signs, all verify
 */
export function tickets(signingKeys: readonly Uint8Array[], now: () => number = Date.now) {
  const keys = signingKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'games-lrs ticket', 32)))
  const signatureOf = (key: Buffer, purpose: TicketPurpose, bound: string, content: string): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([purpose, bound, content]))
      .digest()
  return {
    /** @param bound what else has to be the same when it is read, such as the session; it is not in the ticket */
    make(purpose: TicketPurpose, bound: string, text: string, seconds: number): string {
      const ends = Math.floor(now() / 1000) + seconds
      const content = `${Buffer.from(text).toString('base64url')}.${ends}.${randomBytes(12).toString('base64url')}`
      return `${content}.${signatureOf(keys[0]!, purpose, bound, content).toString('base64url')}`
    },
    /** The text and the end of a ticket, which nobody has checked yet. */
    peek(ticket: string): { text: string; ends: number } {
      const [text = '', ends = ''] = ticket.split('.', 2)
      return { text: Buffer.from(text, 'base64url').toString(), ends: Number(ends) || 0 }
    },
    /** Whether the ticket was made for this and has not ended. */
    isValid(purpose: TicketPurpose, bound: string, ticket: string): boolean {
      const at = ticket.lastIndexOf('.')
      const [content, given] = [ticket.slice(0, Math.max(0, at)), Buffer.from(ticket.slice(at + 1), 'base64url')]
      const isOurs = keys
        .map((key) => signatureOf(key, purpose, bound, content))
        .some((own) => own.length === given.length && timingSafeEqual(own, given))
      return isOurs && Number(content.split('.', 2)[1]) * 1000 > now()
    },
  }
}

export type Tickets = ReturnType<typeof tickets>
