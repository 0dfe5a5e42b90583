import type { StartOnDeviceRequest } from '../../../gen/lrs/v1/devices_pb.js'
import { devices as limits } from '../../../shared/limits.ts'
import type { Core } from '../../context.ts'
import type { Fields } from '../../process/methods/answer.ts'
import { line } from '../../process/rules/text.ts'
import { hashSecret, newSecret } from '../../process/secret.ts'
import { uuidParameter } from '../../records/xapi/parameters.ts'
import { newSession, startedLaunch, type LaunchContext } from '../access/launch.ts'

/** What a device gets: a session with its secret, or an error of RFC 8628 or RFC 6749 in a word and in words. */
export type Started =
  | { readonly launch: LaunchContext; readonly deviceSecret: string }
  | { readonly error: string; readonly message: string }

/** Starts a session on a device, by its secret or by a code that a learner has allowed. @throws Problem, Refusal */
export async function startOnDevice(
  { store, tokens, config }: Core,
  { slug, deviceCode, deviceSecret, deviceName, registration, senderIp }: Fields<StartOnDeviceRequest>,
): Promise<Started> {
  const isCode = deviceCode !== ''
  const name = line(deviceName, 'device_name', { max: limits.name })
  const begun = uuidParameter(registration, 'registration')
  if (isCode) {
    await store.portalLimits.requireFrom('devicePoll', senderIp)
    const device = await store.devices.ask(hashSecret(deviceCode), slug)
    if (!device) return unknown
    if (device.denied) return { error: 'access_denied', message: 'The learner refused.' }
    if (device.expired) return { error: 'expired_token', message: 'The code is too old. Ask for a new one.' }
    if (!device.allowed)
      return device.fast
        ? { error: 'slow_down', message: 'Wait 5 seconds longer between two requests from now on.' }
        : { error: 'authorization_pending', message: 'The learner has not answered yet.' }
  }
  await store.portalLimits.requireFrom('play', senderIp)
  const { secret, session } = newSession(tokens)
  const nextSecret = isCode ? newSecret() : deviceSecret
  const outcome = await store.devices.start({
    ...session,
    registration: begun ?? session.registration,
    slug,
    held: hashSecret(isCode ? deviceCode : deviceSecret),
    traded: isCode ? { secret: hashSecret(nextSecret), former: hashSecret(deviceSecret), name } : undefined,
    network: tokens.networkOf(senderIp),
  })
  switch (outcome) {
    case 'no-game':
      return {
        error: 'invalid_client',
        message: 'There is no such game, or its studio has not switched on the linking of devices.',
      }
    case 'no-device':
      return unknown
    case 'no-invitation':
      return { error: 'invalid_grant', message: 'The invitation of the learner has ended.' }
    case 'not-agreed':
      return {
        error: 'invalid_grant',
        message: 'The text that learners agree to has changed. Link the device again, so that the learner sees it.',
      }
    case 'done':
      return { launch: await startedLaunch({ store, tokens, config }, secret), deviceSecret: nextSecret }
  }
}

const unknown = {
  error: 'invalid_grant',
  message: 'The code or secret is unknown, or its device was ended. Link the device again.',
}
