import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { NewPasskey, Passkey } from '../store/factors.ts'
import { Problem } from '../../process/problem.ts'
import { parse } from '../../records/xapi/json.ts'

/** The portal as browsers know it: passkeys are bound to its host. */
export interface Site {
  readonly origin: string
  readonly host: string
}

const name = 'Games LRS'
const timeout = 5 * 60 * 1000
const path = 'passkey'

/** Loaded by those who use passkeys only: it takes 60 ms and 20 MB. */
const library = () => import('@simplewebauthn/server')

/** @param origin as the portal gives it. @throws Problem when browsers have no passkeys there */
export function siteOf(origin: string): Site {
  const url = URL.parse(origin)
  if (url?.origin === origin && (url.protocol === 'https:' || url.hostname === 'localhost'))
    return { origin, host: url.hostname }
  throw new Problem('origin', 'must be an https origin: browsers have passkeys only there')
}

/** JSON for `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export async function creationOptions(
  { host }: Site,
  { accountId, email }: { accountId: string; email: string },
  known: readonly Passkey[],
  challenge: string,
): Promise<string> {
  const { generateRegistrationOptions } = await library()
  return JSON.stringify(
    await generateRegistrationOptions({
      rpName: name,
      rpID: host,
      userName: email,
      userDisplayName: email,
      userID: handleOf(accountId),
      challenge,
      timeout,
      attestationType: 'none',
      excludeCredentials: known.map(descriptor),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    }),
  )
}

/** JSON for `PublicKeyCredential.parseRequestOptionsFromJSON`. @param known none: whichever the browser has */
export async function requestOptions({ host }: Site, known: readonly Passkey[], challenge: string): Promise<string> {
  const { generateAuthenticationOptions } = await library()
  return JSON.stringify(
    await generateAuthenticationOptions({
      rpID: host,
      challenge,
      timeout,
      allowCredentials: known.map(descriptor),
      userVerification: 'required',
    }),
  )
}

/** What a browser has created. @param isOurs checks the challenge. @throws Problem */
export async function created(
  site: Site,
  json: string,
  isOurs: (challenge: string) => boolean,
): Promise<Omit<NewPasskey, 'name'>> {
  const response = read(json) as RegistrationResponseJSON
  return accepted(async () => {
    const { verifyRegistrationResponse } = await library()
    const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
    // the library would ask the addresses that a foreign certificate names
    const attestation = decodeAttestationObject(Buffer.from(response.response.attestationObject, 'base64url'))
    const format = attestation.get('fmt')
    const isPlain = format === 'none' || (format === 'packed' && !attestation.get('attStmt').get('x5c'))
    if (!isPlain) throw new Error(`no attestation of the format ${String(format)} was asked for`)
    const { registrationInfo } = await verifyRegistrationResponse({
      ...expected(site, isOurs),
      response,
      requireUserVerification: true,
    })
    const { id, publicKey, counter } = registrationInfo!.credential
    return {
      credential: Buffer.from(id, 'base64url'),
      publicKey: Buffer.from(publicKey),
      counter,
      transports: transportsOf(response.response.transports),
    }
  })
}

/** The passkey that an answer claims to be of, and the account's id in it; nobody has checked them yet. @throws Problem */
export function claimOf(json: string): { credential: Buffer; accountId: string | undefined } {
  const { id, response } = read(json) as AuthenticationResponseJSON
  const handle = typeof response.userHandle === 'string' ? Buffer.from(response.userHandle, 'base64url') : undefined
  return {
    credential: Buffer.from(String(id), 'base64url'),
    accountId: handle && handle.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  }
}

/** Checks an answer of a passkey, and returns its counter. @throws Problem */
export async function answered(
  site: Site,
  { credential, publicKey, counter, transports }: Passkey,
  json: string,
  isOurs: (challenge: string) => boolean,
): Promise<number> {
  const response = read(json) as AuthenticationResponseJSON
  return accepted(async () => {
    const { verifyAuthenticationResponse } = await library()
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...expected(site, isOurs),
      response,
      credential: {
        id: credential.toString('base64url'),
        publicKey: new Uint8Array(publicKey),
        counter,
        transports,
      },
      requireUserVerification: true,
    })
    if (!verified) throw new Error('the signature is wrong')
    return authenticationInfo.newCounter
  })
}

const expected = ({ origin, host }: Site, isOurs: (challenge: string) => boolean) => ({
  expectedOrigin: origin,
  expectedRPID: host,
  expectedChallenge: (challenge: string) => isOurs(Buffer.from(challenge, 'base64url').toString()),
})

const refused = () => new Problem(path, 'was not accepted: try again')

/** Errors of the library are about what browsers have sent. */
async function accepted<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch {
    throw refused()
  }
}

/** The answer of a browser. */
function read(json: string): RegistrationResponseJSON | AuthenticationResponseJSON {
  try {
    const answer = parse(json) as RegistrationResponseJSON | AuthenticationResponseJSON
    if (typeof answer.response.clientDataJSON === 'string') return answer
  } catch {
    // refused below
  }
  throw refused()
}

const descriptor = ({ credential, transports }: Passkey) => ({
  id: credential.toString('base64url'),
  transports: transports as never,
})

/** The account as authenticators know it. */
const handleOf = (accountId: string) => new Uint8Array(Buffer.from(accountId.replaceAll('-', ''), 'hex'))

const knownTransports = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])
const transportsOf = (given: unknown): string[] =>
  (Array.isArray(given) ? given : []).filter((one) => knownTransports.has(one)).slice(0, knownTransports.size)
