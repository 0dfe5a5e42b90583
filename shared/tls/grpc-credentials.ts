import { getCACertificates } from 'node:tls'
import { credentials, experimental, ServerCredentials, type ChannelCredentials } from '@grpc/grpc-js'
import type { TlsMaterial, WatchedTls } from './tls-files.ts'

/** Of a server; undefined: without TLS. Callers need a certificate if there is a CA for them. */
export function serverCredentials(tls: WatchedTls | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure()
  const isMutual = tls.current().ca !== undefined
  const provider = providerOf(tls)
  // null, which its types lack, is no CA
  return experimental.createCertificateProviderServerCredentials(
    (isMutual ? provider : null) as Provider,
    provider,
    isMutual,
  )
}

/** Of a client; undefined: without TLS. Without a CA it trusts those that Node trusts. */
export function channelCredentials(tls: WatchedTls | undefined): ChannelCredentials {
  if (tls === undefined) return credentials.createInsecure()
  const provider = providerOf(tls)
  const isShown = tls.current().cert !== undefined
  return experimental.createCertificateProviderChannelCredentials(provider, isShown ? provider : null)
}

type Provider = Parameters<typeof experimental.createCertificateProviderChannelCredentials>[0]

/** grpc-js asks it for what new connections use, and is told about new files. */
function providerOf(tls: WatchedTls): Provider {
  const [cas, identities] = [new Set<(material: TlsMaterial) => void>(), new Set<(material: TlsMaterial) => void>()]
  tls.onChange((material) => {
    for (const tell of [...cas, ...identities]) tell(material)
  })
  const adder = (told: typeof cas, change: (material: TlsMaterial) => object) => {
    const of = new Map<unknown, (material: TlsMaterial) => void>()
    return {
      add(listener: (update: never) => void): void {
        const tell = (material: TlsMaterial): void => listener(change(material) as never)
        of.set(listener, tell)
        told.add(tell)
        // not at once: a server listens to its credentials after it has added them
        process.nextTick(() => tell(tls.current()))
      },
      remove: (listener: unknown): void => void told.delete(of.get(listener)!),
    }
  }
  const ca = adder(cas, ({ ca }) => ({ caCertificate: ca ?? trustedByNode() }))
  const identity = adder(identities, ({ cert, key }) => ({ certificate: cert, privateKey: key }))
  return {
    addCaCertificateListener: ca.add,
    removeCaCertificateListener: ca.remove,
    addIdentityCertificateListener: identity.add,
    removeIdentityCertificateListener: identity.remove,
  }
}

const trustedByNode = (): Buffer => Buffer.from(getCACertificates().join('\n'))
