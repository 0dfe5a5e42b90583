import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { addressGuard } from './address-guard.ts'
import { mailCall, type MailServer } from './mail-call.ts'

/** Key and certificate of mail.example, which nobody has signed; until 2126. */
const pem = readFileSync(join(import.meta.dirname, '../../../test/fixtures/tls/mail.example.pem'), 'utf8')
const trusted = getCACertificates()
afterEach(() => setDefaultCACertificates(trusted))

/** A server that notes how each mail and each password came. */
async function serverWith(options: SMTPServerOptions) {
  const mails: { secure: boolean; user: unknown }[] = []
  const passwords: { secure: boolean; password: unknown }[] = []
  const server = new SMTPServer({
    key: pem,
    cert: pem,
    authOptional: true,
    allowInsecureAuth: true,
    onAuth(auth, { secure }, done) {
      passwords.push({ secure, password: auth.password })
      done(null, { user: auth.username })
    },
    onData(stream, { secure, user }, done) {
      mails.push({ secure, user })
      stream.resume().once('end', done)
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  onTestFinished(() => new Promise<void>((done) => server.close(() => done())))
  return { mails, passwords, port: (server.server.address() as AddressInfo).port }
}

const send = (server: Pick<MailServer, 'port'> & Partial<MailServer>) =>
  mailCall(
    {
      server: { host: 'mail.example', secure: false, user: '', password: '', ...server },
      from: { name: 'Games LRS', address: 'lrs@lrs.example' },
      to: 'ann@example.org',
      id: crypto.randomUUID(),
      subject: 'Hello',
      ends: '',
      text: 'Hello',
      html: '<p>Hello</p>',
    },
    { lookUp: async () => ['127.0.0.1'], seconds: 10, guard: addressGuard([]) },
  )
const credentials = { user: 'lrs', password: 'secret of the server' }

test('where the server offers STARTTLS, password and mail go encrypted', async () => {
  setDefaultCACertificates([...trusted, pem.slice(pem.indexOf('-----BEGIN CERT'))])
  const { mails, passwords, port } = await serverWith({})
  await send({ port, ...credentials })
  expect(passwords).toEqual([{ secure: true, password: credentials.password }])
  expect(mails).toEqual([{ secure: true, user: 'lrs' }])
  // without a password, too
  await send({ port })
  expect(mails[1]).toEqual({ secure: true, user: false })
})

test('a server with a certificate that nobody vouches for gets neither password nor mail', async () => {
  const { mails, passwords, port } = await serverWith({})
  await expect(send({ port, ...credentials })).rejects.toThrow('mail.example')
  await expect(send({ port })).rejects.toThrow('mail.example')
  expect([mails, passwords]).toEqual([[], []])
})

test('a server that offers no STARTTLS, or one between that hides it, gets no password', async () => {
  const { mails, passwords, port } = await serverWith({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] })
  await expect(send({ port, ...credentials })).rejects.toThrow('mail.example')
  expect([mails, passwords]).toEqual([[], []])
})
