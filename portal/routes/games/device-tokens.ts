/*
 * Codes and tokens for installed games (RFC 8628). The callers are games, not browsers: they send no cookie, and get JSON.
 */
import { Router, type RequestHandler } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { contextOf } from '../../../shared/launch-context.ts'
import { addressesOf, type Addresses } from '../../web/addresses.ts'
import type { CoreClient } from '../../web/core-client.ts'
import { failureIn, statusOf } from '../../web/failure.ts'
import { formOf, guestOf, type Form, type Portal } from '../../web/visit.ts'

interface Asking {
  readonly core: CoreClient
  readonly senderIp: string
  readonly form: Form
  readonly at: Addresses
}

interface OAuthError {
  readonly error: string
  readonly error_description: string
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

export const deviceTokens = (portal: Portal): Router =>
  Router().post('/device/code', answer(portal, codes)).post('/device/token', answer(portal, token))

async function codes({ core, senderIp, form, at }: Asking) {
  const { deviceCode, userCode, expiresIn, interval } = await core.devices.askCode({
    slug: form('client_id'),
    senderIp,
  })
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: `${at.portal}/device`,
    verification_uri_complete: `${at.portal}/device?user_code=${userCode}`,
    expires_in: expiresIn,
    interval,
  }
}

/** The launch context, with the fields of OAuth. */
async function token({ core, senderIp, form, at }: Asking) {
  const grant = form('grant_type')
  const isCode = grant === deviceGrant
  if (!isCode && grant !== 'refresh_token')
    return oauthError('unsupported_grant_type', `grant_type must be ${deviceGrant} or refresh_token.`)
  const { launch, deviceSecret, error, message } = await core.devices.startOnDevice({
    slug: form('client_id'),
    deviceCode: isCode ? form('device_code') : '',
    deviceSecret: form('refresh_token'),
    deviceName: form('device_name'),
    registration: form('registration'),
    senderIp,
  })
  if (!launch) return oauthError(error, message)
  return {
    access_token: launch.token,
    token_type: 'Bearer',
    expires_in: Number(launch.expires) - Math.floor(Date.now() / 1000),
    refresh_token: deviceSecret,
    ...contextOf(at.xapi, launch),
  }
}

const oauthError = (error: string, words: string): OAuthError => ({ error, error_description: words })

const answer =
  (portal: Portal, run: (asking: Asking) => Promise<object>): RequestHandler =>
  async (request, response) => {
    // a game in a web view has an origin of its own; the secret is never compressed (BREACH)
    response.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store, no-transform' })
    try {
      const at = addressesOf(portal.config, request)
      const given = await run({ ...guestOf(portal, request), form: formOf(request.body), at })
      response.status('error' in given ? 400 : 200).json(given)
    } catch (error) {
      const failure = failureIn(error)
      const status = statusOf(failure)
      if (status >= 500) portal.log.error({ err: error, path: request.path }, 'a request of a device failed')
      response.status(status).json(oauthError(wordOf(failure.reason), failure.message))
    }
  }

function wordOf(reason: Reason): string {
  if (reason === Reason.NOT_FOUND) return 'invalid_client'
  return reason === Reason.INVALID ? 'invalid_request' : 'temporarily_unavailable'
}
