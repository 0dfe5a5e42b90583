import { X509Certificate, type KeyObject } from 'node:crypto'
import { base64url, compactVerify, decodeProtectedHeader, type CompactJWSHeaderParameters } from 'jose'
import type { DeclaredAttachment } from './attachment.ts'
import { at, fail } from './check.ts'
import type { Rules } from './dialect.ts'
import { differenceOf } from './equivalence.ts'
import { parseJson } from './json.ts'
import { Problem } from './problem.ts'
import type { Statement } from './types.ts'
import { validateStatement } from './validate.ts'

/** Bytes that a signature may have: a statement of the largest size in base64url, with room for certificates. */
export const maxSignature = 4 * 1024 * 1024

const algorithms = ['RS256', 'RS384', 'RS512']
const maxCertificates = 10

/** What is said about a signature, before its content is there. @throws Problem */
export function checkSignatureType({ path, contentType, signs }: DeclaredAttachment): void {
  if (signs && !/^application\/octet-stream\s*(?:;|$)/i.test(contentType)) {
    fail(at(path, 'contentType'), 'must be application/octet-stream: the attachment is a signature')
  }
}

/**
 * Checks the content of an attachment that signs `statement` (xAPI 1.0.3 Data 2.6): a JWS in compact serialisation, made
 * with RS256, RS384 or RS512, whose payload is the statement. With a certificate chain (x5c) the signature must be that
 * of the first certificate, and each certificate that of the next one. The chain need not end in any authority that we
 * know and may have expired: this finds mistakes, it proves nothing about the signer. Nothing is ever fetched.
 * @throws Problem at `path`
 */
export async function checkSignature(content: Buffer, statement: Statement, path: string, rules: Rules): Promise<void> {
  const jws = content.toString('latin1')
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(jws)) fail(path, 'must have a JWS in compact serialisation (RFC 7515) as its content')
  const header = headerOf(jws, path)
  if (!algorithms.includes(header.alg ?? '')) fail(path, 'must be signed with RS256, RS384 or RS512 (the "alg" of the JWS)')
  if (header.crit !== undefined) fail(path, 'must be a JWS without "crit": no extension is known here')
  const difference = differenceOf(payloadOf(jws, path, rules), statement, rules)
  if (difference !== undefined) fail(path, `must be a signature of this statement, but the ${difference} in its payload is another one`)
  if (header.x5c !== undefined) await verify(content, chainOf(header.x5c, path), path)
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
    fail(path, `must be a JWS with the statement as its payload: ${why}`)
  }
}

/** The certificates of x5c, the signer's first (RFC 7515 4.1.6). */
function chainOf(x5c: unknown, path: string): X509Certificate[] {
  if (!Array.isArray(x5c) || x5c.length === 0 || x5c.length > maxCertificates) {
    fail(path, `must be a JWS whose x5c is a list of 1 to ${maxCertificates} certificates`)
  }
  const chain = x5c.map((encoded: unknown, index) => certificateOf(encoded, `${path}: x5c[${index}]`))
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index + 1]
    if (issuer && !isIssued(certificate, issuer)) {
      fail(path, `must be a JWS whose x5c is a chain: certificate ${index} is not issued by the one after it`)
    }
  }
  return chain
}

function certificateOf(encoded: unknown, path: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(encoded as string, 'base64'))
  } catch {
    fail(path, 'must be an X.509 certificate (DER in base64)')
  }
}

function isIssued(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
  } catch {
    return false
  }
}

async function verify(jws: Buffer, [signer]: X509Certificate[], path: string): Promise<void> {
  const key = rsaKeyOf(signer!)
  if (!key) fail(path, 'must be signed with the RSA key of the first certificate in x5c, of 2,048 bits or more (RFC 7518 3.3)')
  try {
    await compactVerify(jws, key, { algorithms })
  } catch {
    fail(path, 'must be signed with the key of the first certificate in x5c: the signature does not match')
  }
}

function rsaKeyOf(certificate: X509Certificate): KeyObject | undefined {
  try {
    const { publicKey } = certificate
    return publicKey.asymmetricKeyType === 'rsa' && publicKey.asymmetricKeyDetails!.modulusLength! >= 2048 ? publicKey : undefined
  } catch {
    // a kind of key that this OpenSSL does not know
    return undefined
  }
}
