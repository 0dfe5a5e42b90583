import { createHash, createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'

/** What a test may do wrong. */
export interface Faults {
  /** Default: as the page has it. */
  readonly origin?: string
  readonly host?: string
  readonly isVerified?: boolean
  readonly challenge?: string
  readonly counter?: number
  readonly userHandle?: string
  /** Signs with another key. */
  readonly isForged?: boolean
  /** Of the attestation; default: none. */
  readonly format?: string
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()
const text = (value: string): Buffer => Buffer.concat([Uint8Array.of(0x60 + value.length), Buffer.from(value)])

/** An authenticator with one passkey (ES256), as a browser on `origin` shows its answers. */
export function authenticator(origin: string) {
  const id = randomBytes(32)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { host } = new URL(origin)
  let [userHandle, count] = ['', 0]

  const clientData = (type: string, challenge: string, faults: Faults): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin: faults.origin ?? origin, crossOrigin: false }))
  const authData = (attested: Buffer, faults: Faults): Buffer => {
    const flags = 1 | (faults.isVerified === false ? 0 : 4) | (attested.length > 0 ? 64 : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(faults.counter ?? count)
    const hash = sha256(faults.host ?? host.replace(/:\d+$/, ''))
    return Buffer.concat([hash, Uint8Array.of(flags), counter, attested])
  }
  const answer = (response: object): string => {
    const name = id.toString('base64url')
    return JSON.stringify({ id: name, rawId: name, type: 'public-key', clientExtensionResults: {}, response })
  }

  return {
    /** As `navigator.credentials.create`. @param options of the server */
    create(options: string, faults: Faults = {}): string {
      const { challenge, user } = JSON.parse(options)
      userHandle = user.id
      const jwk = publicKey.export({ format: 'jwk' })
      const [x, y] = [jwk.x!, jwk.y!].map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer]
      const key = [Buffer.from('a5010203262001215820', 'hex'), x, Buffer.from('225820', 'hex'), y]
      const attested = authData(Buffer.concat([Buffer.alloc(16), Uint8Array.of(0, id.length), id, ...key]), faults)
      const attestation = Buffer.concat([
        Uint8Array.of(0xa3),
        text('fmt'),
        text(faults.format ?? 'none'),
        text('attStmt'),
        Uint8Array.of(0xa0),
        text('authData'),
        Uint8Array.of(0x58, attested.length),
        attested,
      ])
      return answer({
        clientDataJSON: clientData('webauthn.create', faults.challenge ?? challenge, faults).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal', 'nonsense'],
      })
    },
    /** As `navigator.credentials.get`. */
    get(options: string, faults: Faults = {}): string {
      const { challenge } = JSON.parse(options)
      count++
      const data = authData(Buffer.alloc(0), faults)
      const client = clientData('webauthn.get', faults.challenge ?? challenge, faults)
      const key: KeyObject = faults.isForged
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
        : privateKey
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: createSign('sha256')
          .update(Buffer.concat([data, sha256(client)]))
          .sign(key)
          .toString('base64url'),
        userHandle: faults.userHandle ?? userHandle,
      })
    },
  }
}
