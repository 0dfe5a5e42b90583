import { easyPuzzle, startSystem, tokens } from '../support/system.ts'
import type { CoreClient } from '../support/core-client.ts'
import { bearer } from '../support/xapi.ts'

export const password = 'correct horse battery'

/** Two cores on which passwords cost what they do in service, seen as the portal does. */
export async function startAccounts() {
  const system = await startSystem({ cores: 2, gateways: 0, puzzle: easyPuzzle, realPasswords: true })
  const portal = system.connections[0]!.as(bearer(tokens.portal))
  let n = 0
  /** A sender of its own. */
  const from = () => `192.0.2.${++n % 250}`
  return {
    system,
    portal,
    from,
    /** Who has this session. */
    as: (session: string, core = 1): CoreClient =>
      system.connections[core]!.as(bearer(tokens.portal), { 'x-lrs-session': session }),
    /** Signs a studio up. */
    async account(name = 'Blue Fox') {
      const email = `studio-${++n}@example.org`
      const { session, known } = await portal.accounts.signUp({ email, password, studioName: name, senderIp: from() })
      return { email, session, known }
    },
  }
}

export type Accounts = Awaited<ReturnType<typeof startAccounts>>
