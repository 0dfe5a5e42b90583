import type { Base } from '../base.ts'
import { captcha, type Captcha } from './access/captcha.ts'
import { knownBrowsers, type KnownBrowsers } from './access/known-browsers.ts'
import { linkTokens, type LinkTokens } from './access/link-tokens.ts'
import { passwords, type Passwords } from './access/passwords.ts'
import { providerList, type ProviderList } from './access/provider-list.ts'
import { sealer, type Sealer } from './access/sealed.ts'
import { sessions, type Sessions } from './access/sessions.ts'
import { tickets, type Tickets } from './access/tickets.ts'
import { noteAudit, type NoteAudit } from './command/note-audit.ts'
import { notices, type Notices } from './notices/notices.ts'

/** Signing in to the portal, and what stays of what people and services did. */
export interface Accounts {
  readonly sessions: Sessions
  readonly passwords: Passwords
  readonly captcha: Captcha
  readonly browsers: KnownBrowsers
  /** Second steps of sign-ins, and challenges of passkeys. */
  readonly tickets: Tickets
  /** What sign-in pages offer beside passwords. */
  readonly providers: ProviderList
  /** Links in mails. */
  readonly links: LinkTokens
  /** Notices to accounts, in the header and by mail. */
  readonly notices: Notices
  /** Seals secrets that the database keeps. */
  readonly sealer: Sealer
  readonly audit: NoteAudit
}

/** @param given parts that are made already */
export const accountParts = ({ config, log, store, meters }: Base, given: Partial<Accounts>): Accounts => ({
  sessions: sessions(store, config.secondFactor, config.mail !== undefined),
  passwords: given.passwords ?? passwords(),
  captcha: captcha(config.signingKeys[0]!),
  browsers: knownBrowsers(config.signingKeys),
  tickets: tickets(config.signingKeys),
  providers: providerList(store),
  links: linkTokens(config.signingKeys),
  notices: notices(store, config.mail !== undefined),
  sealer: sealer(config.secretKeys),
  audit: noteAudit(store, {
    log,
    onLost: (entries) => meters.auditLost.inc(entries),
    everyMs: 60_000,
    kinds: 500,
    ofAccount: 300,
  }),
})
