import { lti as limits } from '../../../shared/limits.ts'
import { say } from '../../../shared/say.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Core } from '../../context.ts'
import { Problem } from '../../process/problem.ts'
import { Refusal } from '../../process/refusal.ts'
import { hashSecret, newSecret } from '../../process/secret.ts'
import { isUuid } from '../../records/xapi/values.ts'
import { newKey, sealedPlace } from '../access/lti-keys.ts'
import { members, text } from '../rules/lti-claims.ts'
import { configurationOf, platformSettings, registrationOf, type PlatformSettings } from '../rules/lti-platform.ts'

type Stored = Pick<Core, 'store'>

export const noPlatform = (): Refusal => new Refusal('not-found', 'Your school has no such platform.')

/** The school of an owner. @throws Refusal */
function schoolOf({ studio, kind }: Developer): number {
  if (kind === 'school') return studio
  throw new Refusal('conflict', 'Learning platforms belong to schools: work for your school first.')
}

/** @throws Problem, Refusal */
export const addPlatform = async (
  { store }: Stored,
  who: Developer,
  given: PlatformSettings,
): Promise<{ platformId: string }> => add(store, schoolOf(who), platformSettings(given))

async function add(store: Core['store'], school: number, settings: PlatformSettings): Promise<{ platformId: string }> {
  const added = await store.ltiPlatforms.add(school, settings)
  if (added === 'taken') throw new Problem('platform.client_id', 'must be new: the school has this platform already')
  if (added === 'full')
    throw new Refusal('quota-exceeded', `A school has ${limits.ofSchool} platforms at most: remove one first.`)
  return added
}

/** The issuer and the client id stay. @throws Problem, Refusal */
export async function changePlatform(
  { store }: Stored,
  { studio: school }: Developer,
  { platformId, ...given }: PlatformSettings & { readonly platformId: string },
): Promise<void> {
  const before = isUuid(platformId) ? await store.ltiPlatforms.one(school, platformId) : undefined
  if (!before) throw noPlatform()
  const { issuer, clientId } = before
  await store.ltiPlatforms.change(school, platformId, platformSettings({ ...given, issuer, clientId }))
}

/** @throws Refusal */
export async function removePlatform(
  { store }: Stored,
  { studio: school }: Developer,
  { platformId }: { readonly platformId: string },
): Promise<void> {
  if (!(await store.ltiPlatforms.remove(school, platformId))) throw noPlatform()
}

/** A code with which one platform may register itself. */
export async function startRegistration({ store }: Stored, who: Developer): Promise<{ code: string }> {
  const code = newSecret()
  await store.ltiPlatforms.addCode(schoolOf(who), hashSecret(code))
  return { code }
}

/** Dynamic registration: the code counts once, also when the registration fails. @throws Problem, Refusal */
export async function registerPlatform(
  { store, outgoing }: Pick<Core, 'store' | 'outgoing'>,
  given: {
    readonly code: string
    readonly openidConfiguration: string
    readonly registrationToken: string
    readonly portalUrl: string
    readonly senderIp: string
  },
): Promise<{ origins: readonly string[] }> {
  await store.portalLimits.requireFrom('ltiRegistration', given.senderIp)
  const id = await store.ltiPlatforms.takeCode(hashSecret(given.code))
  const school = id === undefined ? undefined : await store.ltiPlatforms.school(id)
  if (!school) throw new Refusal('not-found', 'This link was used already, or is older than an hour: make another one.')
  if (/[^\x21-\x7e]/.test(given.registrationToken)) throw new Problem('registration_token', 'must be a token')
  const { openidConfiguration: url } = given
  const { registrationUrl, ...of } = configurationOf(await json(outgoing, { url }), url)
  const answer = await json(outgoing, {
    url: registrationUrl,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(given.registrationToken !== '' && { authorization: `Bearer ${given.registrationToken}` }),
    },
    body: JSON.stringify(registrationOf(given.portalUrl, school.uuid)),
  })
  const deployment = text(
    members(answer['https://purl.imsglobal.org/spec/lti-tool-configuration'])['deployment_id'],
    255,
  )
  const settings = platformSettings({
    ...of,
    clientId: text(answer['client_id'], 255),
    deployments: [deployment],
    origins: [],
  })
  await add(store, school.id, settings)
  return { origins: settings.origins }
}

async function json(outgoing: Core['outgoing'], request: Parameters<Core['outgoing']['guardedFetch']>[0]) {
  const { status, body } = await outgoing.guardedFetch({
    ...request,
    headers: { accept: 'application/json', ...request.headers },
  })
  const host = URL.parse(request.url)?.host ?? ''
  if (status < 200 || status > 299)
    throw new Refusal('conflict', say`${host} refused the registration with ${String(status)}.`)
  try {
    return members(JSON.parse(Buffer.from(body).toString()))
  } catch {
    throw new Refusal('conflict', say`${host} answers without JSON.`)
  }
}

/** The key with which a school signs; made when there is none. @throws Refusal when the store cannot seal */
export async function signingKey({ store, sealer }: Pick<Core, 'store' | 'sealer'>, school: number) {
  const there = (await store.ltiPlatforms.signing(school)) ?? (await makeKey({ store, sealer }, school, false))
  return { kid: there.kid, privateKey: sealer.open(sealedPlace(there.kid), there.privateKey) }
}

/** @param replace signs from now on; the one before is served for a day */
export async function makeKey({ store, sealer }: Pick<Core, 'store' | 'sealer'>, school: number, replace: boolean) {
  const { kid, privateKey, publicKey } = await newKey()
  const sealed = sealer.seal(sealedPlace(kid), privateKey)
  await store.ltiPlatforms.addKey(school, { kid, privateKey: sealed }, publicKey, replace)
  return (await store.ltiPlatforms.signing(school))!
}

/** The public keys of a school, as a JSON Web Key Set. @throws Refusal */
export async function ltiKeys(
  core: Pick<Core, 'store' | 'sealer'>,
  given: { readonly schoolId: string },
): Promise<{ keys: string }> {
  const { id } = await schoolBy(core, given)
  await signingKey(core, id)
  return { keys: JSON.stringify({ keys: (await core.store.ltiPlatforms.publicKeys(id)).map(({ key }) => key) }) }
}

/** The school signs with a new key. @throws Refusal */
export const rotateKeys = async (core: Pick<Core, 'store' | 'sealer'>, given: { readonly schoolId: string }) => ({
  keyId: (await makeKey(core, (await schoolBy(core, given)).id, true)).kid,
})

async function schoolBy({ store }: Stored, { schoolId }: { readonly schoolId: string }) {
  const school = isUuid(schoolId) ? await store.ltiPlatforms.school(schoolId) : undefined
  if (!school) throw new Refusal('not-found', 'There is no school with this id.')
  return school
}
