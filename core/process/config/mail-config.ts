import { SettingError } from '../../../shared/settings/kinds.ts'
import { needed, type Settings } from '../../../shared/settings/settings.ts'
import type { MailServer } from '../outgoing/mail-call.ts'

export interface MailConfig {
  readonly server: MailServer
  /** The sender: `Games LRS <lrs@example.org>`, or the address only. */
  readonly from: { readonly name: string; readonly address: string }
  /** Origin of the portal: where links lead. */
  readonly portalUrl: string
}

const form = 'smtps://user:password@mail.example.org, or smtp:// with a port'

type Given = Pick<Settings<'core'>, 'smtpUrl' | 'mailFrom' | 'portalUrl'>

/** How mails are sent; undefined: they are not. @throws SettingError */
export function readMailConfig({ smtpUrl, mailFrom = '', portalUrl }: Given): MailConfig | undefined {
  if (smtpUrl === undefined) return undefined
  const [, name = '', inside, only] = /^(?:"?([^"<>\r\n]*?)"?\s*<([^<>\s]+)>|([^<>\s]+))$/.exec(mailFrom.trim()) ?? []
  const address = inside ?? only ?? ''
  if (!/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(address)) {
    throw new SettingError(
      'LRS_MAIL_FROM must be the sender of mails, such as Games LRS <lrs@example.org>, since LRS_SMTP_URL is set.',
    )
  }
  const why = 'links in mails lead there. Set it, or remove LRS_SMTP_URL to send no mails.'
  return { server: serverOf(smtpUrl), from: { name, address }, portalUrl: needed('LRS_PORTAL_URL', portalUrl, why) }
}

/** The address may hold a password, so it is never shown. */
function serverOf(given: string): MailServer {
  const url = URL.parse(given)
  const isPlain = url !== null && /^\/?$/.test(url.pathname) && url.search === '' && url.hash === ''
  if (!isPlain || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    throw new SettingError(`LRS_SMTP_URL is not an accepted address, but must be of the form ${form}.`)
  const secure = url.protocol === 'smtps:'
  try {
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    return { host, port: Number(url.port || (secure ? 465 : 587)), secure, user, password }
  } catch {
    throw new SettingError('LRS_SMTP_URL has a "%" that is no escape: write %25 for it.')
  }
}
