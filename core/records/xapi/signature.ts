import { verify, X509Certificate, type KeyObject } from 'node:crypto'
import { base64url, decodeProtectedHeader, type CompactJWSHeaderParameters } from 'jose'
import type { SignedText } from './attachment.ts'
import { fail } from './values.ts'
import type { Rules } from './dialect.ts'
import { differenceOf } from './equivalence.ts'
import { parseJson, parse } from './json.ts'
import { Problem } from '../../process/problem.ts'
import type { Statement } from './types.ts'
import { validateStatement } from './validate.ts'
import { ours, say } from '../../../shared/say.ts'

/** Most bytes of a signature: the largest statement in base64url, and certificates. */
export const maxSignature = 4 * 1024 * 1024

const algorithms = ['RS256', 'RS384', 'RS512']
const maxCertificates = 10
/** With these limits a certificate takes below 1 ms; without them it may take a second. */
const maxCertificateBytes = 16 * 1024
const maxModulusBits = 4096
const maxExponentBits = 64
const curves = ['prime256v1', 'secp384r1', 'secp521r1']
const otherKeys = ['ed25519', 'ed448']

/** A signed statement, and the path of the attachment in the input. */
export interface Signed extends SignedText {
  readonly path: string
}

/**
 * Verifies a signature of one or more statements (xAPI 1.0.3 Data 2.6): a JWS in compact serialisation with RS256,
 * RS384 or RS512, whose payload is the statement. With a certificate chain (x5c), the first certificate must verify
 * the signature, and each certificate the one before it. The chain may have expired and may end in an unknown
 * authority: the check finds mistakes, it does not prove who signed. Nothing is fetched.
 * @throws Problem at the path of a statement's attachment
 */
export function checkSignature(content: Uint8Array, signed: readonly Signed[], rules: Rules): void {
  const { path } = signed[0]!
  const jws = Buffer.from(content).toString('latin1')
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(jws))
    fail(path, 'must have a JWS in compact serialisation (RFC 7515) as its content')
  const header = headerOf(jws, path)
  if (!algorithms.includes(header.alg ?? ''))
    fail(path, 'must be signed with RS256, RS384 or RS512 (the "alg" of the JWS)')
  if (header.crit !== undefined) fail(path, 'must be a JWS without "crit": no extension is known here')
  const payload = payloadOf(jws, path, rules)
  for (const one of signed) {
    const difference = differenceOf(payload, statementOf(one), rules)
    if (difference !== undefined)
      fail(
        one.path,
        say`must be a signature of this statement, but the ${ours(difference)} in its payload is another one`,
      )
  }
  if (header.x5c !== undefined) checkSigner(jws, header.alg, chainOf(header.x5c, path), path)
}

function statementOf({ json, hasTimestamp }: SignedText): Statement {
  const { timestamp, ...rest } = parse(json) as Statement
  return hasTimestamp ? { ...rest, timestamp } : rest
}

function headerOf(jws: string, path: string): CompactJWSHeaderParameters {
  try {
    return decodeProtectedHeader(jws) as CompactJWSHeaderParameters
  } catch {
    fail(path, 'must be a JWS whose header is a JSON object')
  }
}

function payloadOf(jws: string, path: string, rules: Rules): Statement {
  try {
    const { value } = parseJson(base64url.decode(jws.split('.')[1]!))
    validateStatement(value, '', rules)
    return value
  } catch (error) {
    const why = error instanceof Problem ? error.message : 'it is no base64url'
    fail(path, say`must be a JWS with the statement as its payload: ${why}`)
  }
}

/** The certificates of x5c, the signer's first (RFC 7515 4.1.6). */
function chainOf(x5c: unknown, path: string): X509Certificate[] {
  if (!Array.isArray(x5c) || x5c.length === 0 || x5c.length > maxCertificates) {
    fail(path, `must be a JWS whose x5c is a list of 1 to ${maxCertificates} certificates`)
  }
  const chain = x5c.map((encoded: unknown, index) => certificateOf(encoded, `${path}: x5c[${index}]`))
  for (const [index, certificate] of chain.entries()) checkKey(certificate, `${path}: x5c[${index}]`)
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index + 1]
    if (issuer && !isIssued(certificate, issuer)) {
      fail(path, say`must be a JWS whose x5c is a chain: certificate ${index} is not issued by the one after it`)
    }
  }
  return chain
}

function certificateOf(encoded: unknown, path: string): X509Certificate {
  if (typeof encoded === 'string' && encoded.length > (maxCertificateBytes / 3) * 4)
    fail(path, `must be a certificate of at most ${maxCertificateBytes} bytes`)
  try {
    return new X509Certificate(Buffer.from(encoded as string, 'base64'))
  } catch {
    fail(path, 'must be an X.509 certificate (DER in base64)')
  }
}

/** Refuses keys whose verification is slow, before any verification. */
function checkKey(certificate: X509Certificate, path: string): void {
  const { asymmetricKeyType: type = '', asymmetricKeyDetails: details = {} } = keyOf(certificate) ?? {}
  const { modulusLength: modulus = 0, publicExponent = 0n, namedCurve = '' } = details
  if (type === 'rsa' || type === 'rsa-pss') {
    const exponent = publicExponent.toString(2).length
    if (modulus > maxModulusBits)
      fail(path, say`must have an RSA key with a modulus of at most ${ours(maxModulusBits)} bits, not ${modulus}`)
    if (exponent > maxExponentBits)
      fail(path, say`must have an RSA key with an exponent of at most ${ours(maxExponentBits)} bits, not ${exponent}`)
  } else if (!otherKeys.includes(type) && !curves.includes(namedCurve)) {
    fail(path, ours(`must have an RSA key, or one of ${[...curves, ...otherKeys].join(', ')}`))
  }
}

function isIssued(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
  } catch {
    return false
  }
}

function checkSigner(jws: string, algorithm: string, [signer]: X509Certificate[], path: string): void {
  const key = rsaKeyOf(signer!)
  if (!key)
    fail(path, 'must be signed with the RSA key of the first certificate in x5c, of 2,048 bits or more (RFC 7518 3.3)')
  const end = jws.lastIndexOf('.')
  const signature = Buffer.from(jws.slice(end + 1), 'base64url')
  if (verify(`RSA-SHA${algorithm.slice(2)}`, Buffer.from(jws.slice(0, end)), key, signature)) return
  fail(path, 'must be signed with the key of the first certificate in x5c: the signature does not match')
}

function rsaKeyOf(certificate: X509Certificate): KeyObject | undefined {
  const key = keyOf(certificate)
  return key?.asymmetricKeyType === 'rsa' && key.asymmetricKeyDetails!.modulusLength! >= 2048 ? key : undefined
}

function keyOf(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey
  } catch {
    // this OpenSSL does not know the type of key
    return undefined
  }
}
