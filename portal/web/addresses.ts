import type { Request } from 'express'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import type { Config } from '../config.ts'
import { PageFailure } from './failure.ts'

/** Public addresses of the parts of the system. */
export interface Addresses {
  /** Origin of the portal. */
  readonly portal: string
  /** The xAPI endpoint for games, with a slash at its end. */
  readonly xapi: string
  /** The origin on which a game or build runs: one for each where the setting has a wildcard. */
  games(id: string): string
  /** Each game has an origin of its own. */
  readonly apart: boolean
}

/** Addresses from the settings; without a setting, derived from the address of the request. @throws PageFailure */
export function addressesOf(
  { portalUrl, xapiUrl, gamesUrl, gatewayPort, playerPort }: Config,
  request: Request,
): Addresses {
  const reached = URL.parse(portalUrl ?? `${request.protocol}://${request.host ?? 'localhost'}`)
  if (!reached) throw new PageFailure(Reason.INVALID, 'The request cannot be read: its Host is no host.')
  const beside = (port: number) => `${reached.protocol}//${reached.hostname}:${port}`
  return {
    portal: reached.origin,
    xapi: xapiUrl ?? `${beside(gatewayPort)}/xapi/`,
    games: (id) => (gamesUrl ?? beside(playerPort)).replace('*', id),
    apart: gamesUrl?.includes('*') ?? false,
  }
}
