import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { SMTPServer } from 'smtp-server'
import type { MailConfig } from '../../core/process/config/mail-config.ts'

export interface ReceivedMail {
  readonly to: string
  /** Of each header the first, by its name in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Addresses in the text. */
  readonly links: readonly string[]
}

export interface MailServer {
  readonly received: ReceivedMail[]
  /** How core sends to it. */
  config(portalUrl: string): MailConfig
  /** The next mail to an address whose subject matches. It is taken off the list. */
  next(to: string, subject: RegExp): Promise<ReceivedMail>
  /** Answers each recipient with this code from now on; 0: takes mails. */
  refuse(code: number): void
  close(): Promise<void>
}

/** A mail server of somebody else (npm: smtp-server) that keeps what it gets. */
export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = []
  let refused = 0
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo(_address, _session, done) {
      done(refused === 0 ? null : Object.assign(new Error('not now, please'), { responseCode: refused }))
    },
    onData(stream, session, done) {
      void stream.toArray().then((parts: Buffer[]) => {
        received.push(mailOf(Buffer.concat(parts).toString('latin1'), session.envelope.rcptTo[0]!.address))
        done()
      })
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    received,
    config: (portalUrl) => ({
      server: { host: '127.0.0.1', port, secure: false, user: '', password: '' },
      from: { name: 'Games LRS', address: 'lrs@lrs.example' },
      portalUrl,
    }),
    async next(to, subject) {
      const at = () => received.findIndex((mail) => mail.to === to && subject.test(mail.subject))
      await expect.poll(at, { message: `a mail to ${to} with ${subject}` }).toBeGreaterThan(-1)
      return received.splice(at(), 1)[0]!
    },
    refuse: (code) => (refused = code),
    close: () => new Promise((done) => server.close(() => done())),
  }
}

function mailOf(raw: string, to: string): ReceivedMail {
  const headers = headersOf(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')![1]!
  const parts = raw.split(`--${boundary}`).map((part) => part.replace(/^\r\n/, ''))
  const part = (type: string): string => {
    const found = parts.find((one) => headersOf(one).get('content-type')?.startsWith(type))!
    const body = found.slice(found.indexOf('\r\n\r\n') + 4)
    return decoded(body, headersOf(found).get('content-transfer-encoding') ?? '7bit')
  }
  const text = part('text/plain')
  const subject = wordsOf(headers.get('subject') ?? '')
  return { to, headers, subject, text, html: part('text/html'), links: text.match(/https?:\/\/\S+/g) ?? [] }
}

function headersOf(part: string): Map<string, string> {
  const [head = ''] = part.split('\r\n\r\n', 1)
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  return new Map(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':')
      return [name.toLowerCase(), value.join(':').trim()]
    }),
  )
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  const bytes = encoding === 'quoted-printable' ? quoted(body.replaceAll(/=\r\n/g, '')) : body
  return Buffer.from(bytes, 'latin1').toString().replaceAll('\r\n', '\n')
}

const quoted = (text: string): string =>
  text.replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Encoded words of a header (RFC 2047). */
const wordsOf = (header: string): string =>
  header
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, how: string, word: string) =>
      how.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString()
        : Buffer.from(quoted(word.replaceAll('_', ' ')), 'latin1').toString(),
    )
