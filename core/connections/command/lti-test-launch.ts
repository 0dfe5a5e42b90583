import { lti as limits } from '../../../shared/limits.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Core } from '../../context.ts'
import { crowdOf } from '../../process/rules/network.ts'
import { hashSecret, newSecret } from '../../process/secret.ts'
import { newKey, signed, verified, type KeySets } from '../access/lti-keys.ts'
import { claim, resourceLink, shown, type Check } from '../rules/lti-claims.ts'
import { checked } from './lti-launch.ts'
import { noPlatform } from './lti-platforms.ts'

/**
 * Checks a launch that the platform could make, signed by a key of ours, and whether the platform's keys are there.
 * @throws Refusal
 */
export async function testPlatform(
  core: Pick<Core, 'store' | 'ltiKeySets'>,
  { studio: school }: Developer,
  { platformId, portalUrl }: { readonly platformId: string; readonly portalUrl: string },
): Promise<{ checks: Check[] }> {
  const { store } = core
  await store.portalLimits.require('ltiRegistration', `school ${school}`)
  const platform = await store.ltiPlatforms.one(school, platformId)
  if (!platform) throw noPlatform()
  const keys: Awaited<ReturnType<KeySets['of']>> = await core.ltiKeySets.of(platform.jwksUrl, true)
  const isSet = typeof keys !== 'string'
  const first: Check[] = [
    {
      claim: 'keys',
      came: isSet ? keys.keys.map(({ kid }) => shown(kid)).join(', ') : keys,
      expected: 'a JSON Web Key Set',
      passed: isSet,
    },
  ]
  const [state, nonce] = [newSecret(), newSecret()]
  const kept = { platform: platformId, nonceHash: hashSecret(nonce), asked: {} }
  await store.ltiLaunches.begin(hashSecret(state), kept, crowdOf('::'))
  const login = await store.ltiLaunches.take(hashSecret(state))
  const again = await store.ltiLaunches.take(hashSecret(state))
  first.push({
    claim: 'state',
    came: '',
    expected: 'the state of a login, once',
    passed: login !== undefined && !again,
  })
  const key = await newKey()
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: platform.issuer,
    aud: platform.clientId,
    sub: 'test',
    iat: now,
    exp: now + limits.loginMinutes * 60,
    nonce,
    [claim.type]: resourceLink,
    [claim.version]: '1.3.0',
    [claim.deployment]: platform.deployments[0],
    [claim.target]: `${portalUrl}/lti/launch`,
    [claim.link]: { id: 'test' },
    [claim.roles]: ['http://purl.imsglobal.org/vocab/lis/v2/membership#Learner'],
  }
  const own = async () => ({ keys: [{ kty: 'RSA', ...key.publicKey }] })
  const read = await verified(await signed(claims, key), platform.jwksUrl, own)
  const isSigned = 'claims' in read
  first.push({ claim: 'signature', came: key.kid, expected: 'one by the key of the test', passed: isSigned })
  return { checks: isSigned && login ? [...first, ...checked(read.claims, platform, login, portalUrl)] : first }
}
