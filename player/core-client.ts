import { Code, ConnectError, createClient } from '@connectrpc/connect'
import type { Logger } from 'pino'
import { Health } from '../gen/grpc/health/v1/health_pb.js'
import { LaunchService, type CheckFilesResponse, type Launch } from '../gen/lrs/v1/launches_pb.js'
import { coreTransport, coreTrouble } from '../shared/core-agent.ts'
import type { Config } from './config.ts'

export type CheckedFiles = Pick<CheckFilesResponse, 'openBuilds' | 'openSigned' | 'keys'>

/** The player's calls to core. */
export interface CoreClient {
  /** The launch context of a session; undefined: there is no session with this secret, or it has ended. */
  launch(sessionSecret: string): Promise<Launch | undefined>
  /** Which builds are public, and which signed paths hold. */
  checkFiles(buildIds: readonly string[], signedIds: readonly string[]): Promise<CheckedFiles>
  /** Why core cannot serve, as text; undefined: it can. */
  trouble(): Promise<string | undefined>
}

/** Calls with the player's service token, which permits only these. */
export function coreClient(
  { coreUrl, coreTls, serviceToken }: Pick<Config, 'coreUrl' | 'coreTls' | 'serviceToken'>,
  log: Logger,
): CoreClient {
  const options = { defaultTimeoutMs: 5_000, acceptCompression: [] }
  const transport = coreTransport({ url: coreUrl, tls: coreTls, token: serviceToken, log }, options)
  const launches = createClient(LaunchService, transport)
  const health = createClient(Health, transport)
  return {
    async launch(sessionSecret) {
      try {
        return (await launches.getLaunch({ sessionSecret })).launch
      } catch (error) {
        if (ConnectError.from(error).code === Code.NotFound) return undefined
        throw error
      }
    },
    checkFiles: (buildIds, signedIds) =>
      launches.checkFiles({ buildIds: [...buildIds], signedIds: [...signedIds] }, { timeoutMs: 3_000 }),
    trouble: () => coreTrouble(health, 'player'),
  }
}
