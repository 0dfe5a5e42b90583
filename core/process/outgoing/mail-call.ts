import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { outgoing } from '../../../shared/limits.ts'
import { failureOf, OutgoingError } from './outgoing-error.ts'
import { addressesOf, lookupOf, type Way } from './resolve.ts'

export interface MailServer {
  readonly host: string
  readonly port: number
  /** TLS from the start; without it STARTTLS where the server offers it, and always where there is a user. */
  readonly secure: boolean
  /** Empty: none. */
  readonly user: string
  readonly password: string
}

export interface OutgoingMail {
  readonly server: MailServer
  readonly from: { readonly name: string; readonly address: string }
  readonly to: string
  /** UUID: the same for each attempt, so a server can tell that it has the mail already. */
  readonly id: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Address that ends mails like this, by one click (RFC 8058); empty: none. */
  readonly ends: string
}

/** `refused`: the server does not take this mail, and another attempt would not change that. */
export interface MailOutcome {
  readonly refused: string | undefined
}

/**
 * Hands one mail to the server, wherever it is: the operator's setting names it.
 * @throws OutgoingError when it may be tried again
 */
export async function mailCall(mail: OutgoingMail, way: Way): Promise<MailOutcome> {
  const { server } = mail
  const { seconds } = way
  const signal = AbortSignal.timeout(seconds * 1000)
  let socket: Socket | undefined
  try {
    const addresses = await addressesOf(server, way, signal)
    socket = connect({ host: server.host, port: server.port, lookup: lookupOf(addresses), noDelay: true })
    const used = socket
    signal.addEventListener('abort', () => used.destroy(), { once: true })
    // the client has its own listener from then on
    socket.on('error', () => {})
    await once(socket, 'connect', { signal })
    const watch = setInterval(() => used.bytesRead > outgoing.bytes && used.destroy(), 50)
    try {
      return await hand(mail, socket, seconds)
    } finally {
      clearInterval(watch)
    }
  } catch (error) {
    throw wordsOf(error, server.host, signal)
  } finally {
    socket?.destroy()
  }
}

async function hand(mail: OutgoingMail, connection: Socket, seconds: number): Promise<MailOutcome> {
  const { server, from, to, id, subject, text, html, ends } = mail
  const { createTransport } = await import('nodemailer')
  const wait = seconds * 1000
  const transport = createTransport({
    connection,
    host: server.host,
    port: server.port,
    secure: server.secure,
    requireTLS: server.user !== '',
    ...(server.user !== '' && { auth: { user: server.user, pass: server.password } }),
    connectionTimeout: wait,
    greetingTimeout: wait,
    socketTimeout: wait,
  })
  try {
    await transport.sendMail({
      from,
      to: { name: '', address: to },
      subject,
      text,
      html,
      messageId: `<${id}@${from.address.split('@').at(-1)}>`,
      headers: {
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'All',
        ...(ends !== '' && { 'List-Unsubscribe': `<${ends}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
      },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return { refused: undefined }
  } catch (error) {
    const { code, responseCode = 0 } = error as { code?: string; responseCode?: number }
    const isFinal = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500
    if (isFinal) return { refused: said(error) }
    throw error
  } finally {
    transport.close()
  }
}

function wordsOf(error: unknown, host: string, signal: AbortSignal): OutgoingError {
  const { responseCode } = error as { responseCode?: number }
  if (responseCode === undefined) return failureOf(error, host, signal)
  return new OutgoingError('failed', `${host} does not take mails at the moment: ${said(error)}`)
}

/** What the server said, in one line. */
const said = (error: unknown): string =>
  String((error as Error).message)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .slice(0, 300)
