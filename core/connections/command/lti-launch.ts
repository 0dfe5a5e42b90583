import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import { nicknames, toldApart } from '../../process/rules/nicknames.ts'
import { crowdOf } from '../../process/rules/network.ts'
import { hashSecret, newSecret } from '../../process/secret.ts'
import { isUuid } from '../../records/xapi/values.ts'
import { verified } from '../access/lti-keys.ts'
import { checksOf, isTarget, shown, text, type Check, type Claims } from '../rules/lti-claims.ts'
import { nameIn } from '../rules/lti-members.ts'
import { messageOf, type Message } from '../rules/lti-message.ts'
import type { Login } from '../store/lti-launches.ts'
import type { KeptRefusal, Platform } from '../store/lti-platforms.ts'
import { takeAtLaunch } from './lti-members.ts'

type Needs = Pick<Core, 'store' | 'log' | 'ltiKeySets'>
type Refused = Omit<KeptRefusal, 'refused'>
type Failed = Pick<Refused, 'claim' | 'came' | 'expected'>

/** What a platform sends to begin, as it came. */
export interface LoginWanted {
  readonly schoolId: string
  readonly portalUrl: string
  readonly senderIp: string
  readonly issuer: string
  readonly loginHint: string
  readonly targetLinkUri: string
  readonly ltiMessageHint: string
  readonly clientId: string
  readonly ltiDeploymentId: string
  readonly ltiStorageTarget: string
}

/** Hints are opaque, and longer than other values. */
const hintCharacters = 8_000

/** Keeps why something was refused, where the school can read it. */
async function refuse(
  { store }: Needs,
  school: number,
  platform: string,
  failed: Failed,
): Promise<{ refused: Refused }> {
  const { claim: name, came, expected } = failed
  const refused = { platform, claim: name, came: shown(came), expected: shown(expected) }
  await store.ltiPlatforms.refuse(school, refused)
  return { refused }
}

/** Begins a login: where the browser goes, and the state that has to come back. @throws Refusal */
export async function startLogin(core: Needs, given: LoginWanted) {
  const { store } = core
  await store.portalLimits.requireFrom('ltiLogin', given.senderIp)
  const school = isUuid(given.schoolId) ? await store.ltiPlatforms.school(given.schoolId) : undefined
  if (!school) throw new Refusal('not-found', 'There is no school at this address.')
  const [issuer, clientId, deployment] = [given.issuer, given.clientId, given.ltiDeploymentId].map((one) =>
    text(one, 255),
  )
  const [platform, ...more] = await store.ltiPlatforms.asking(given.schoolId, issuer!, clientId!, '')
  const [narrowed, ...still] =
    more.length === 0 ? [platform] : await store.ltiPlatforms.asking(given.schoolId, issuer!, clientId!, deployment!)
  if (!narrowed || still.length > 0) {
    const known = await store.ltiPlatforms.list(school.id)
    const ofIssuer = known.filter((one) => one.issuer === issuer)
    return refuse(
      core,
      school.id,
      '',
      ofIssuer.length === 0
        ? { claim: 'issuer', came: given.issuer, expected: known.map((one) => one.issuer).join(', ') }
        : { claim: 'client_id', came: given.clientId, expected: ofIssuer.map((one) => one.clientId).join(', ') },
    )
  }
  const failed = (name: string, came: string, expected: string) =>
    refuse(core, school.id, narrowed.name, { claim: name, came, expected })
  if (!isTarget(given.targetLinkUri, given.portalUrl))
    return failed('target_link_uri', given.targetLinkUri, `${given.portalUrl}/lti/launch`)
  const [loginHint, messageHint] = [text(given.loginHint, hintCharacters), text(given.ltiMessageHint, hintCharacters)]
  if (loginHint === '') return failed('login_hint', given.loginHint, 'a value')
  const [state, nonce] = [newSecret(), newSecret()]
  const asked = {
    iss: issuer!,
    login_hint: loginHint,
    target_link_uri: given.targetLinkUri,
    client_id: narrowed.clientId,
    ...(messageHint !== '' && { lti_message_hint: messageHint }),
    ...(deployment !== '' && { lti_deployment_id: deployment! }),
    ...(/^[\w-]{1,100}$/.test(given.ltiStorageTarget) && { lti_storage_target: given.ltiStorageTarget }),
  }
  const login: Login = { platform: narrowed.platformId, nonceHash: hashSecret(nonce), asked }
  if (!(await store.ltiLaunches.begin(hashSecret(state), login, crowdOf(given.senderIp))))
    throw new Refusal('rate-limited', 'Too many logins are under way: try again in some minutes.')
  const address = new URL(narrowed.loginUrl)
  for (const [name, value] of Object.entries({
    scope: 'openid',
    response_type: 'id_token',
    response_mode: 'form_post',
    prompt: 'none',
    client_id: narrowed.clientId,
    redirect_uri: `${given.portalUrl}/lti/launch`,
    login_hint: loginHint,
    state,
    nonce,
    ...(messageHint !== '' && { lti_message_hint: messageHint }),
  }))
    address.searchParams.set(name, value)
  return { address: address.href, state, origins: narrowed.origins }
}

export interface LaunchWanted {
  readonly state: string
  readonly idToken: string
  readonly error: string
  readonly isBound: boolean
  readonly portalUrl: string
  readonly senderIp: string
}

/** Checks the message that ends a login. @throws Refusal */
export async function launch(core: Needs & Parameters<typeof takeAtLaunch>[0], given: LaunchWanted) {
  const { store, log } = core
  await store.portalLimits.requireFrom('ltiLogin', given.senderIp)
  const hash = hashSecret(given.state)
  const login = await (given.isBound ? store.ltiLaunches.take(hash) : store.ltiLaunches.get(hash))
  const platform = login && (await store.ltiPlatforms.byId(login.platform))
  if (!platform) {
    log.info({ claim: 'state' }, 'a launch of a learning platform was refused')
    const refused = { claim: 'state', came: '', expected: 'the state of a login, once', platform: '' }
    return { kind: 'refused', origins: [], refused } as const
  }
  const { origins, school } = platform
  if (!given.isBound) {
    const { uuid } = (await store.ltiPlatforms.school(school)) ?? { uuid: '' }
    const { lti_storage_target: storageTarget = '', ...asked } = login.asked
    const storageOrigin = new URL(platform.loginUrl).origin
    return { kind: 'unbound', origins, asked, schoolId: uuid, storageTarget, storageOrigin } as const
  }
  const failed = async (why: Failed) =>
    ({ kind: 'refused', origins, ...(await refuse(core, school, platform.name, why)) }) as const
  if (given.error !== '') return failed({ claim: 'error', came: given.error, expected: 'a message' })
  const read = await verified(given.idToken, platform.jwksUrl, core.ltiKeySets.of)
  if (!('claims' in read)) return failed(read)
  const wrong = checked(read.claims, platform, login, given.portalUrl).find(({ passed }) => !passed)
  if (wrong) return failed(wrong)
  const message = messageOf(read.claims)
  if (message.role === 'other' || (message.picking && message.role !== 'teacher'))
    return { kind: 'nothing', origins } as const
  const isGuest = message.role === 'learner' && message.subject === ''
  if (message.game !== '' && !(await store.ltiLaunches.game(message.game)))
    return failed({ claim: 'game', came: message.game, expected: 'a published game' })
  const token = newSecret()
  const kept = await store.ltiLaunches.accept(platform, message, hashSecret(token), (there) => pupilOf(message, there))
  if (kept === 'full') return failed({ claim: 'class', came: message.contextTitle, expected: 'a class with room' })
  if (message.role === 'teacher') void takeAtLaunch(core, school, kept.class)
  const { attempts } = message
  return {
    kind: message.picking ? 'pick' : message.role === 'teacher' ? 'teach' : isGuest ? 'guest' : 'play',
    origins,
    launchId: kept.launchId,
    token,
    gameSlug: kept.game,
    title: message.title,
    attemptsLeft: attempts > 0 && !isGuest ? Math.max(0, attempts - kept.used) : undefined,
    classId: kept.class,
    takesGrades: message.picking?.takesGrades,
  } as const
}

export const checked = (claims: Claims, platform: Platform, login: Login, portal: string): Check[] =>
  checksOf(claims, {
    ...platform,
    portal,
    isNonce: (nonce) => hashSecret(nonce).equals(login.nonceHash),
    now: Math.floor(Date.now() / 1000),
  })

function pupilOf({ name }: Message, there: readonly { readonly name: string; readonly alias: string }[]) {
  const [alias] = nicknames(
    1,
    there.map((one) => one.alias),
  )
  return {
    name: toldApart(
      [nameIn(name) || alias!],
      there.map((one) => one.name),
    )[0]!,
    alias: alias!,
  }
}
