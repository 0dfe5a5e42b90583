import { randomBytes, randomUUID } from 'node:crypto'
import type { LaunchTokens } from '../access/launch-tokens.ts'
import { hashSecret, newSecret } from '../../process/secret.ts'
import { Refusal } from '../../process/refusal.ts'
import type { NewCredential, Scope } from '../../records/store/cell/credentials.ts'
import type { Store } from '../../store.ts'
import { rulesFor } from '../../records/xapi/dialect.ts'
import { agentParameter, uuidParameter } from '../../records/xapi/parameters.ts'
import { Problem } from '../../process/problem.ts'

/** What a game needs; more is granted by an admin. */
export const gameScopes: readonly Scope[] = ['statements/write', 'statements/read/mine', 'state', 'define', 'profile']

export interface IssuedCredential {
  readonly key: string
  readonly secret: string
}

export const newCredential = (): IssuedCredential => ({ key: randomBytes(12).toString('hex'), secret: newSecret() })

/** Gives a game its credential. @param home IRI that stands in `authority` as the account's homePage */
export async function issueCredential(
  store: Store,
  gameId: string,
  scopes: readonly Scope[],
  home: string,
): Promise<IssuedCredential> {
  const issued = newCredential()
  const added = await store.credentials.add(gameId, credentialOf(issued, scopes.length > 0 ? scopes : gameScopes, home))
  if (added === 'no-game') throw new Refusal('not-found', 'There is no game with this id.', { subject: 'game' })
  if (added === 'taken') throw new Refusal('conflict', 'The game has a credential already: rotate or revoke it.')
  return issued
}

/** Makes another secret; the old one is refused as soon as this has committed. */
export async function rotateCredential(store: Store, key: string): Promise<string> {
  const secret = newSecret()
  if (!(await store.credentials.rotate(key, hashSecret(secret)))) throw noCredential()
  return secret
}

/** Changes what a credential may do, at once; none: what a game needs. Returns what that is. */
export async function setScopes(store: Store, key: string, scopes: readonly Scope[]): Promise<readonly Scope[]> {
  const wanted = scopes.length > 0 ? [...new Set(scopes)] : gameScopes
  if (!(await store.credentials.setScopes(key, wanted))) throw noCredential()
  return wanted
}

/** Ends a credential and with it all launch tokens minted for it. */
export async function revokeCredential(store: Store, key: string): Promise<void> {
  if (!(await store.credentials.revoke(key))) throw noCredential()
}

/** Starts a session of two hours for one learner of the credential's game. */
export async function mintLaunchToken(
  store: Store,
  tokens: LaunchTokens,
  key: string,
  actor: string,
  registration: string,
) {
  const { agent, identifier } = agentParameter(actor, 'actor', rulesFor('1.0.3', 'games'))
  if (agent.objectType === 'Group') throw new Problem('actor', 'must be an Agent: a session has one learner')
  const credential = await store.credentials.find(key)
  if (!credential || credential.revoked) throw noCredential()
  const name = agent.name === undefined ? '' : `"name":${JSON.stringify(agent.name)},`
  const bound = {
    gameId: credential.gameId,
    key,
    actor: `{"objectType":"Agent",${name}${identifier.slice(1)}`,
    registration: uuidParameter(registration, 'registration') ?? randomUUID(),
    session: randomUUID(),
  }
  return { ...bound, ...(await tokens.mint(bound)) }
}

/** A first game with a credential on a store that has none, so that a fresh start can be tried at once. */
export async function bootstrap(store: Store, home: string, given: IssuedCredential): Promise<void> {
  await store.credentials.addFirst(
    async (run) => (await store.games.add(run, 'Demo game')).id,
    credentialOf(given, gameScopes, home),
  )
}

/** The row of a credential. @param home IRI: the homePage of the account in `authority` */
export function credentialOf({ key, secret }: IssuedCredential, scopes: readonly Scope[], home: string): NewCredential {
  const account = `{"homePage":${JSON.stringify(home)},"name":${JSON.stringify(key)}}`
  const authority = `{"objectType":"Agent","account":${account}}`
  return { key, secretHash: hashSecret(secret), authority, scopes }
}

/** For a sandbox that has none yet; nobody ever sees its secret. */
export const sandboxCredential = (home: string): NewCredential =>
  credentialOf({ key: `sandbox-${randomBytes(12).toString('hex')}`, secret: newSecret() }, gameScopes, home)

const noCredential = () => new Refusal('not-found', 'There is no credential with this key.', { subject: 'credential' })
