import { expect, test } from 'vitest'
import { readSettings } from '../../../shared/settings/settings.ts'
import type { Env } from '../../../shared/settings/kinds.ts'
import { readMailConfig } from './mail-config.ts'

const read = (env: Env) => readMailConfig(readSettings('core', env))

const env = {
  LRS_SMTP_URL: 'smtps://lrs:geh%40im@mail.example.org',
  LRS_MAIL_FROM: 'Games LRS <lrs@example.org>',
  LRS_PORTAL_URL: 'https://studio.example.org/',
}

test('a mail server, a sender and the portal are read', () => {
  expect(read(env)).toEqual({
    server: { host: 'mail.example.org', port: 465, secure: true, user: 'lrs', password: 'geh@im' },
    from: { name: 'Games LRS', address: 'lrs@example.org' },
    portalUrl: 'https://studio.example.org',
  })
  const plain = read({ ...env, LRS_SMTP_URL: 'smtp://[::1]:2525', LRS_MAIL_FROM: 'lrs@example.org' })
  expect(plain!.server).toEqual({ host: '::1', port: 2525, secure: false, user: '', password: '' })
  expect(plain!.from).toEqual({ name: '', address: 'lrs@example.org' })
  expect(read({ ...env, LRS_SMTP_URL: 'smtp://mail' })!.server.port).toBe(587)
})

test('without a mail server there is none', () => expect(read({ ...env, LRS_SMTP_URL: '' })).toBe(undefined))

test.each([
  [{ LRS_SMTP_URL: 'https://u:geheim@mail.example.org' }, /^LRS_SMTP_URL is not an accepted address/],
  [{ LRS_SMTP_URL: 'smtp://u:geheim@mail.example.org/?tls=no' }, /^LRS_SMTP_URL is not an accepted address/],
  [{ LRS_SMTP_URL: 'geheim' }, /^LRS_SMTP_URL is not an accepted address/],
  [{ LRS_SMTP_URL: 'smtp://u:geheim%@mail.example.org' }, /^LRS_SMTP_URL has a "%"/],
  [{ LRS_MAIL_FROM: undefined }, /^LRS_MAIL_FROM must be the sender/],
  [{ LRS_MAIL_FROM: 'Games LRS' }, /^LRS_MAIL_FROM must be the sender/],
  [{ LRS_MAIL_FROM: 'a <a@b.c>\r\nBcc: x@y.z' }, /^LRS_MAIL_FROM must be the sender/],
  [{ LRS_PORTAL_URL: undefined }, /^LRS_PORTAL_URL is not set/],
])('%o is refused, without its password', (over, message) => {
  expect(() => read({ ...env, ...over })).toThrow(message)
  expect(() => read({ ...env, ...over })).not.toThrow('geheim')
})
