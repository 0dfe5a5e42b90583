import { isIP } from 'node:net'
import { Client, credentials, type ChannelCredentials, type ChannelOptions } from '@grpc/grpc-js'
import type { Logger } from 'pino'
import type { CoreTls } from '../../shared/tls/core-tls.ts'
import { channelCredentials } from '../../shared/tls/grpc-credentials.ts'
import { watchTlsFiles } from '../../shared/tls/tls-files.ts'
import type { CoreAddress } from './addresses.ts'

/** How a gateway calls cores with https. */
export interface CoreWay {
  readonly secure: ChannelCredentials
  /** The name that their certificates have to have; undefined: that of the URL. */
  readonly name: string | undefined
  close(): void
}

export function coreWay(tls: CoreTls, log: Logger): CoreWay {
  const files = watchTlsFiles(tls, log)
  return { secure: channelCredentials(files), name: tls.name, close: () => files.close() }
}

/** A client of the core at this address. */
export function clientOf(
  { url, host }: CoreAddress,
  way: CoreWay,
  options: ChannelOptions,
): { target: string; client: Client } {
  const isSecure = url.protocol === 'https:'
  const target = `${host}:${url.port || (isSecure ? 443 : 80)}`
  if (!isSecure) return { target, client: new Client(target, credentials.createInsecure(), options) }
  const named = way.name ?? (isIP(url.hostname) === 0 ? url.hostname : undefined)
  const checked = named === undefined ? options : { ...options, 'grpc.ssl_target_name_override': named }
  return { target, client: new Client(target, way.secure, checked) }
}
