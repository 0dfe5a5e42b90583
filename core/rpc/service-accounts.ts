import { hash } from 'node:crypto'
import type { Role } from '../../shared/settings/own-kinds.ts'
import type { Config } from '../process/config/config.ts'

/** Services that may call core, by the hash of their token, so the time of a lookup reveals nothing about a token. */
export function serviceAccounts(tokens: Config['serviceTokens']) {
  const digest = (token: string) => hash('sha256', token, 'hex')
  const accounts = new Map(tokens.map(({ role, token }) => [digest(token), role]))
  return {
    /** The role of the service with this Authorization header; undefined: no service token. */
    roleOf: (authorization: string): Role | undefined => {
      const token = /^bearer ([^ ]+)$/i.exec(authorization)?.[1]
      return token === undefined ? undefined : accounts.get(digest(token))
    },
  }
}

export type ServiceAccounts = ReturnType<typeof serviceAccounts>
