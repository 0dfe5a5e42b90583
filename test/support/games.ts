import type { Scope } from '../../gen/lrs/v1/identity_pb.js'
import { bearer, basic, xapiClient, type XapiClient } from './xapi.ts'
import type { CoreClient, CoreConnection } from './core-client.ts'

export interface Game {
  readonly id: string
  readonly key: string
  readonly secret: string
  /** Basic, with key and secret. */
  readonly authorization: string
  /** Through gateway n. */
  xapi(gateway?: number, version?: string): XapiClient
  /** Straight to core n. */
  rpc(core?: number, version?: string): CoreClient
  /** The Authorization of a launch token for this learner. */
  launch(actor: object, registration?: string): Promise<string>
}

/** Adds a game and issues its credential, as the portal would. */
export async function addGame(
  connections: readonly CoreConnection[],
  urls: readonly string[],
  adminToken: string,
  scopes: Scope[] = [],
): Promise<Game> {
  const { identity } = connections[0]!.as(bearer(adminToken))
  const { gameId: id } = await identity.createGame({ name: 'Chess' })
  const { key, secret } = await identity.issueCredential({ gameId: id, scopes })
  const authorization = basic(key, secret)
  return {
    id,
    key,
    secret,
    authorization,
    xapi: (gateway = 0, version) => xapiClient(urls[gateway]!, authorization, version),
    rpc: (core = 0, version = '1.0.3') => connections[core]!.as(authorization, { 'x-experience-api-version': version }),
    launch: async (actor, registration = '') =>
      bearer((await identity.mintLaunchToken({ key, actor: JSON.stringify(actor), registration })).token),
  }
}
